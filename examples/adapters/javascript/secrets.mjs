// Secrets and personal data in texts: whether there are any, never which.
//
// The patterns are searched for in texts of any length, so each begins where a word
// begins and is bounded: none of them takes more than a pass over the text.

/** Keys and tokens that their issuers made easy to know. */
const TOKENS = [
  /(?<![\w-])sk-(?:[a-z0-9]{1,12}-){0,3}[A-Za-z0-9_]{16}/,
  /(?<!\w)[sr]k_(?:live|test)_[A-Za-z0-9]{10}/,
  /(?<!\w)gh[opsur]_[A-Za-z0-9]{20}/,
  /(?<!\w)github_pat_[A-Za-z0-9_]{20}/,
  /(?<!\w)glpat-[\w-]{16}/,
  /(?<!\w)npm_[A-Za-z0-9]{30}/,
  /(?<!\w)hf_[A-Za-z0-9]{24}/,
  /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  /(?<!\w)AIza[\w-]{30}/,
  /(?<!\w)xox[a-z]-[A-Za-z0-9-]{10}/,
  /(?<![\w-])eyJ[\w-]{6,4096}\.[\w-]{6,4096}\.[\w-]{6}/,
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/,
  /(?<!\w)bearer [A-Za-z0-9._~+/-]{20}/i,
];

/** `scheme://user:password@host`. */
const URL_WITH_PASSWORD = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,100}:[^\s/@]{1,200}@/i;

const PASSWORD = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:passw(?:or)?d|passphrase|pwd|contraseña|passwort|kennwort|mot de passe|senha|密码|密碼|パスワード)"
    + "[\"']?\\s{0,3}[:=：]\\s{0,3}[\"']?([^\\s\"',;]{4,200})",
  "giu",
);
const NAMED_KEY =
  /(?<![a-z0-9])(?:api|access|auth|secret|client|private)?[ _-]?(?:key|token|secret)["']?\s{0,3}[:=]\s{0,3}["']?([\w+/.~-]{12,200})/gi;

/** What stands where a password was, or says that there is none. */
const NO_PASSWORD = /^(?:[*•x.]+|[<$%{[].*|none|null|required|redacted|removed|hidden|missing|unset|empty|prompted|changed|reset)$/i;

const EMAIL =
  /(?<![\w.%+-]|\/\/)([A-Za-z0-9][\w.%+-]{0,63})@((?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24})(?![\w@-]|:\S|\.\w)/g;
const FILE_EXTENSION = /\.(?:png|jpe?g|gif|svg|webp|ico|js|mjs|cjs|css|json|ya?ml|html?|txt|xml|pdf|csv|log)$/i;

const PHONE = [
  // +49 30 1234567, +14155552671
  /(?<![\w.\/@#+-])\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,6}(?![\w-])/g,
  // (555) 123-4567, 1-555-123-4567
  /(?<![\w.\/:@#+-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-]|\.\w)/g,
  // phone: 030 1234567
  /(?<!\p{L})(?:phone|tel|mobile|telefon|teléfono|telefone|téléphone|电话|電話|手机|手機)(?:\s?(?:no\.?|number|号码|番号))?\s?[.:：]?\s?\(?\d[\d ().-]{5,20}\d/giu,
];

export function holdsPrivateData(text) {
  if (TOKENS.some((pattern) => pattern.test(text)) || URL_WITH_PASSWORD.test(text)) return true;
  return holdsPassword(text) || holdsEmail(text) || PHONE.some((pattern) => holdsPhone(text, pattern));
}

function holdsPassword(text) {
  for (const [, value] of text.matchAll(PASSWORD)) {
    if (!NO_PASSWORD.test(value)) return true;
  }
  for (const [, value] of text.matchAll(NAMED_KEY)) {
    // A word is the name of a key, and a path is where one lies.
    if (/\d/.test(value) && /[A-Za-z]/.test(value) && !/[./]/.test(value)) return true;
  }
  return false;
}

function holdsEmail(text) {
  for (const [, local, domain] of text.matchAll(EMAIL)) {
    if (local !== "git" && !FILE_EXTENSION.test(domain)) return true;
  }
  return false;
}

function holdsPhone(text, pattern) {
  for (const [match] of text.matchAll(pattern)) {
    const digits = match.replace(/\D/g, "").length;
    if (digits >= 8 && digits <= 15) return true;
  }
  return false;
}
