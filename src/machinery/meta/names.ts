/**
 * Rules for names and other short texts. Every function returns the problems of the text as
 * upstream's messages; an empty list means it is valid (so test `.length`, never the list itself).
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go,
 * staging/src/k8s.io/apimachinery/pkg/api/validate/content,
 * staging/src/k8s.io/apimachinery/pkg/api/validation/generic.go.
 */
export type Problems = readonly string[];

/** A rule for objects' names; prefix is true for generateName, to which a suffix will be added. */
export type NameRule = (name: string, prefix: boolean) => Problems;

const none: Problems = [];

const dns1123Label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dns1123Subdomain = `${dns1123Label}(\\.${dns1123Label})*`;
const underscoreLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const underscoreSubdomain = `${underscoreLabel}(\\.${underscoreLabel})*`;
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/** Limit of a DNS label and of a label value (characters). */
const maxLabelLength = 63;

/** Limit of a DNS name (characters). */
export const maxSubdomainLength = 253;

/** Message for a text over a limit, where upstream says characters (and means bytes). */
export const maxLengthMessage = (max: number): string => `must be no more than ${max} characters`;

/** Message for a text over a limit in bytes. */
const maxBytesMessage = (max: number): string => `must be no more than ${max} bytes`;

/** Message for a number outside its limits. */
export const rangeMessage = (min: number, max: number): string =>
  `must be between ${min} and ${max}, inclusive`;

/** Message for an empty text. */
export const emptyMessage = "must be non-empty";

/** Message for a negative number. */
export const negativeMessage = "must be greater than or equal to 0";

/** Message for a text that does not match a pattern. */
export function patternMessage(
  message: string,
  pattern: string,
  ...examples: readonly string[]
): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  const such = shown === "" ? "" : `e.g. ${shown}`;
  return `${message} (${such}regex used for validation is '${pattern}')`;
}

const whole = (pattern: string, flags = ""): RegExp => new RegExp(`^(?:${pattern})$`, flags);

/** Whether a text is longer than a limit, in bytes of UTF-8. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && utf8Length(text) > maxBytes;
}

/** The length of a text in UTF-8 (bytes). A browser runs it, and has no Buffer. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Half of a pair of surrogates: together they take four bytes.
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    bytes += code < 0x80 ? 1 : code < 0x800 || isHalf ? 2 : 3;
  }
  return bytes;
}

/** A rule with a pattern and an optional length limit; its messages are created once. */
function rule(
  pattern: RegExp,
  message: string,
  max?: { length: number; message: string },
): (value: string) => Problems {
  const wrong: Problems = [message];
  const limit = max?.length ?? Number.POSITIVE_INFINITY;
  const tooLong = max?.message ?? "";
  return (value) => {
    const matches = pattern.test(value);
    if (!isLongerThan(value, limit)) return matches ? none : wrong;
    return matches ? [tooLong] : [tooLong, message];
  };
}

const characters = (length: number) => ({ length, message: maxLengthMessage(length) });
const bytes = (length: number) => ({ length, message: maxBytesMessage(length) });

const labelPattern = whole(dns1123Label);
const subdomainPattern = whole(dns1123Subdomain);
const labelMessage = patternMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  dns1123Label,
  "my-name",
  "123-abc",
);
const subdomainMessage = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  dns1123Subdomain,
  "example.com",
);

/** One part of a DNS name. */
export const isDNS1123Label = (value: string): Problems =>
  labelProblems(value, maxLengthMessage(maxLabelLength));

/** One part of a DNS name, in types with declarative validation: the message counts bytes. */
export const isShortName = (value: string): Problems =>
  labelProblems(value, maxBytesMessage(maxLabelLength));

function labelProblems(value: string, tooLong: string): Problems {
  const long = isLongerThan(value, maxLabelLength);
  const matches = labelPattern.test(value);
  if (matches && !long) return none;
  const problems = long ? [tooLong] : [];
  if (!matches) {
    problems.push(subdomainPattern.test(value) ? "must not contain dots" : labelMessage);
  }
  return problems;
}

/** A DNS name. */
export const isDNS1123Subdomain: (value: string) => Problems = rule(
  subdomainPattern,
  subdomainMessage,
  characters(maxSubdomainLength),
);

/**
 * A DNS name in types with declarative validation, and the prefix of a label key: the message
 * counts bytes.
 */
export const isLongName: (value: string) => Problems = rule(
  subdomainPattern,
  subdomainMessage,
  bytes(maxSubdomainLength),
);

/** A DNS name in upper or lower case; only old fields allow it. */
export const isDNS1123SubdomainCaseless: (value: string) => Problems = rule(
  whole(dns1123Subdomain, "i"),
  patternMessage(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    dns1123Subdomain,
    "Example.com",
  ),
  bytes(maxSubdomainLength),
);

/** A DNS name whose parts may have underscores. */
export const isDNS1123SubdomainWithUnderscore: (value: string) => Problems = rule(
  whole(underscoreSubdomain),
  patternMessage(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    underscoreSubdomain,
    "example.com",
  ),
  characters(maxSubdomainLength),
);

/** One part of a DNS name that does not begin with a digit. */
export const isDNS1035Label: (value: string) => Problems = rule(
  whole("[a-z]([-a-z0-9]*[a-z0-9])?"),
  patternMessage(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    "my-name",
    "abc-123",
  ),
  characters(maxLabelLength),
);

/** A DNS name with an asterisk as its first part. */
export const isWildcardDNS1123Subdomain: (value: string) => Problems = rule(
  whole(`\\*\\.${dns1123Subdomain}`),
  patternMessage(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    `\\*\\.${dns1123Subdomain}`,
    "*.example.com",
  ),
  characters(maxSubdomainLength),
);

const labelKeyPattern = whole(labelKey);
/** Fast path: short keys that match are valid; the others are checked part by part. */
const shortKeyPattern = whole(`(?:${dns1123Subdomain}/)?${labelKey}`);
const labelKeyMessage = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKey,
  "MyName",
  "my.name",
  "123-abc",
);

/** A label key: a name with an optional DNS name and slash before it. */
export function isQualifiedName(value: string): Problems {
  if (value.length <= maxLabelLength && shortKeyPattern.test(value)) return none;
  const [first = "", second, third] = value.split("/", 3);
  if (third !== undefined) {
    return [
      `a valid label key ${labelKeyMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  if (second !== undefined) {
    if (first === "") problems.push(`prefix part ${emptyMessage}`);
    else for (const problem of isLongName(first)) problems.push(`prefix part ${problem}`);
  }
  const name = second ?? first;
  if (name === "") problems.push(`name part ${emptyMessage}`);
  if (isLongerThan(name, maxLabelLength)) {
    problems.push(`name part ${maxBytesMessage(maxLabelLength)}`);
  }
  if (!labelKeyPattern.test(name)) problems.push(`name part ${labelKeyMessage}`);
  return problems;
}

/** A label key with a prefix. */
export function isPrefixedLabelKey(value: string): Problems {
  const problems = isQualifiedName(value);
  if (problems.length > 0 || value.includes("/")) return problems;
  return ["must include a prefix (e.g. 'example.com/key')"];
}

/** A label value. */
export const isLabelValue: (value: string) => Problems = rule(
  whole(`(${labelKey})?`),
  patternMessage(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    `(${labelKey})?`,
    "MyValue",
    "my_value",
    "12345",
  ),
  bytes(maxLabelLength),
);

/** A name that can be a segment of a URL path. */
export function isPathSegmentName(name: string): Problems {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return isPathSegmentPrefix(name);
}

/** The beginning of a name that can be a segment of a URL path. */
function isPathSegmentPrefix(name: string): Problems {
  const found = ["/", "%"].filter((illegal) => name.includes(illegal));
  return found.map((illegal) => `may not contain '${illegal}'`);
}

/** As upstream, allows a dash at the end of generateName by checking a shorter text. */
function forPrefix(check: (name: string) => Problems): NameRule {
  return (name, prefix) =>
    check(prefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);
}

/** For objects with a DNS name as their name: most of them. */
export const nameIsDNSSubdomain: NameRule = forPrefix(isDNS1123Subdomain);

/** For objects with one part of a DNS name as their name, such as namespaces. */
export const nameIsDNSLabel: NameRule = forPrefix(isDNS1123Label);

/** For objects with a DNS-1035 label as their name, such as services in the past. */
export const nameIsDNS1035Label: NameRule = forPrefix(isDNS1035Label);

/** For objects with any URL path segment as their name, such as roles. */
export const nameIsPathSegment: NameRule = (name, prefix) =>
  prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);
