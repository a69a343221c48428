// The forms of text that the specification asks for: URIs, URI templates, base64.

export type Format = 'uri' | 'uri-template' | 'base64';

/** Absolute, in the characters of RFC 3986. */
const uri = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i;
const base64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;
const literals = /^(?:[^\s"'%<>\\^`{|}\p{Cc}]|%[0-9a-f]{2})*$/iu;
const expression =
  /^[+#./;?&=,!@|]?(?:[a-z0-9_.]|%[0-9a-f]{2})+(?::[1-9]\d{0,3}|\*)?(?:,(?:[a-z0-9_.]|%[0-9a-f]{2})+(?::[1-9]\d{0,3}|\*)?)*$/i;

/** Each test takes time in proportion to the text. */
export function isFormat(format: Format, text: string): boolean {
  if (format === 'uri-template') return isUriTemplate(text);
  if (format === 'base64') return text.length % 4 === 0 && base64.test(text);
  return uri.test(text) && text.split('#').length <= 2;
}

function isUriTemplate(text: string): boolean {
  // What stands between braces, and what stands around them, alternate.
  const [first, ...parts] = text.split('{');
  if (!literals.test(first as string)) return false;
  return parts.every((part) => {
    const end = part.indexOf('}');
    return end >= 0 && expression.test(part.slice(0, end)) && literals.test(part.slice(end + 1));
  });
}
