// Sentences that claim an authority which no packet has: that a work slice is approved,
// blocked, closed or restarted, or that a gate passed. Only clear sentences are meant. One
// that speaks of duties, conditions, doubts or denials claims nothing.

const LANGUAGES = [
  {
    // English
    claims: [
      /\b(?:approve|block|close|restart)(?:s|d|ed)? (?:the |this |that |our )?(?:work[ -]?)?slice\b/,
      /\b(?:work[ -]?slice|(?:the|this) slice)(?: [\w.-]{1,80})? (?:is|was|gets|has been|is being)(?: \w{1,12})? (?:approved|blocked|closed|restarted)\b/,
      /\bgates?(?: [\w.-]{1,40})? (?:(?:has|have|is|are|was|were)(?: been)? (?:\w{1,12} )?)?(?:passed|passes)\b/,
      /\bpass(?:ed|es) (?:the |this |its |all )?(?:[\w-]{1,40} )?gates?\b/,
    ],
    open: new RegExp(
      "\\b(?:must|should|shall|may|might|could|can|cannot|would|will|needs?|has to|have to|ought|not|never|no|nobody|none|nothing|neither|without"
        + "|whether|if|unless|until|before|after|once|when|who|which|whoever|ask|asks|only|expects?|assumes?|claims?|mistaken|wrongly)\\b|n['’]t\\b",
    ),
  },
  {
    // Spanish
    claims: [
      /(?<!\p{L})(?:aprueba|bloquea|cierra|reinicia|aprobó|bloqueó|cerró|reinició|apruebo|cierro|bloqueo|reinicio) (?:el |este )?(?:work[ -]?)?slice(?!\p{L})/u,
      /(?<!\p{L})(?:work[ -]?)?slice(?: [\w.-]{1,80})? (?:está|fue|queda|quedó|ha sido)(?: ya)? (?:aprobado|bloqueado|cerrado|reiniciado)(?!\p{L})/u,
      /(?<!\p{L})(?:gate|puerta|compuerta)(?: [\p{L}\w.-]{1,40}){0,3} (?:pasó|ha pasado|está aprobada|está superada|fue superada)(?!\p{L})/u,
    ],
    open: /(?<!\p{L})(?:debe|deben|debería|deberían|puede|pueden|podría|no|nunca|ni|sin|si|hasta|antes|cuando|quién|quien|hay que|tiene que)(?!\p{L})/u,
  },
  {
    // Portuguese
    claims: [
      /(?<!\p{L})(?:aprova|bloqueia|fecha|encerra|reinicia|aprovou|bloqueou|fechou|encerrou|reiniciou) (?:o |a |este |esta )?(?:work[ -]?)?slice(?!\p{L})/u,
      /(?<!\p{L})(?:work[ -]?)?slice(?: [\w.-]{1,80})? (?:está|foi|fica)(?: já)? (?:aprovad|bloquead|fechad|encerrad|reiniciad)[oa](?!\p{L})/u,
      /(?<!\p{L})(?:gate|portão)(?: [\p{L}\w.-]{1,40}){0,3} (?:passou|foi aprovado|está aprovado)(?!\p{L})/u,
    ],
    open: /(?<!\p{L})(?:deve|devem|deveria|pode|podem|poderia|não|nunca|nem|sem|se|até|antes|quando|quem|tem que)(?!\p{L})/u,
  },
  {
    // Chinese
    claims: [
      /切片[^，,]{0,20}?(?:已经|已被|已|被)(?:批准|核准|阻止|阻塞|关闭|重启|重新启动)/,
      /(?:批准|核准|阻止|阻塞|关闭|重启|重新启动)了?(?:该|本|此|这个)?(?:工作)?切片/,
      /(?:门禁|关卡|闸门)(?:已经|已)?(?:通过|放行)/,
    ],
    open: /必须|须|应|需|可以|可能|能否|不|未|没|无|是否|如果|若|除非|直到|之前|谁|请/,
  },
];

export function claimsAuthority(text) {
  const sentences = text.toLowerCase().split(/[.!?](?=\s|$)|[;\n。！？；]/);
  return sentences.some((sentence) => {
    const words = sentence.replace(/\s{1,100}/g, " ");
    return LANGUAGES.some(({ claims, open }) => claims.some((claim) => claim.test(words)) && !open.test(words));
  });
}
