/**
 * Texts that look like credentials, in what programs print. The first group is kept. The file of a service account's token
 * is named in many messages.
 */
const secrets: readonly RegExp[] = [
  /((?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic)?\s*)[^\s"',;]+/gi,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9+/._~-]{8,}=*/gi,
  /((?<!serviceaccount\/)(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|credentials?|private[_-]?key)\w*["']?\s*[:=]\s*["']?)[^\s"',;&]+/gi,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:)[^\s@/]+(?=@)/gi,
  /()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
];

/** A line of another program without what looks like a credential. */
export function masked(line: string): string {
  let text = line;
  for (const pattern of secrets) text = text.replace(pattern, "$1***");
  return text;
}
