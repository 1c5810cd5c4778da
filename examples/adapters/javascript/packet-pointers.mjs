// Where a recovery pointer leads: whether it is on a surface, which is a list of references
// and of prefixes below which every reference is meant. Texts are compared; no file is touched.

import { BadParams, isMapping } from "./registry.mjs";

/** A surface as it was given, or null where there is none. */
export function surfaceOf(surface) {
  if (surface === undefined || surface === null) return null;
  const isList = (list) => Array.isArray(list) && list.every((item) => typeof item === "string");
  const { refs = [], prefixes = [] } = isMapping(surface) ? surface : { refs: null };
  if (!isList(refs) || !isList(prefixes)) throw new BadParams("a surface has lists of refs and of prefixes");
  // A prefix without an end could mean the beginning of many names, so it is one reference.
  const hasEnd = (prefix) => /[/:]$/.test(prefix);
  return { refs: [...refs, ...prefixes.filter((prefix) => !hasEnd(prefix))], prefixes: prefixes.filter(hasEnd) };
}

export function resolves(pointer, { refs, prefixes }) {
  if (refs.includes(pointer)) return true;
  const here = placeOfReference(pointer);
  if (!here.isInside) return false;
  const isHere = (ref) => {
    const there = placeOfReference(ref);
    return there.isInside && there.text === here.text && (there.query === null || there.query === here.query);
  };
  const isBelow = (prefix) => {
    const there = placeOfReference(prefix);
    const isSameRoot = there.root !== "" || here.root === "";
    return there.isInside && isSameRoot && here.text.startsWith(there.text) && here.text.length > there.text.length;
  };
  return refs.some(isHere) || prefixes.some(isBelow);
}

/** What a reference comes to, and whether it stays inside of what it is relative to. */
function placeOfReference(reference) {
  const [, name, query = null] = /^([^?#]*)(?:\?([^#]*))?/.exec(reference);
  const plain = decoded(name).replaceAll("\\", "/");
  const [, scheme = "", authority = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]+:)(\/\/[^/]*)?)?/.exec(plain);
  const root = scheme.toLowerCase() + authority.replace(/[^@]*$/, (host) => host.toLowerCase());
  const path = plain.slice(scheme.length + authority.length);
  const isAbsolute = root === "" && /^(?:\/|~|[A-Za-z]:)/.test(path);

  const slash = path.startsWith("/") ? "/" : "";
  const parts = [];
  const segments = path.slice(slash.length).split("/");
  for (const [index, segment] of segments.entries()) {
    if (segment === "..") {
      if (parts.length === 0) return { isInside: false };
      parts.pop();
    } else if (segment !== ".") {
      parts.push(segment);
      continue;
    }
    // What ends in a dot is a folder.
    if (index === segments.length - 1 && parts.length > 0) parts.push("");
  }
  return { isInside: !isAbsolute, root, text: root + slash + parts.join("/"), query };
}

/** Percent signs are decoded once. What they do not spell in UTF-8 stays as it is. */
function decoded(text) {
  return text.replace(/(?:%[0-9A-Fa-f]{2}){1,1000}/g, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}
