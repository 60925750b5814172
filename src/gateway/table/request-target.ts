/** What a request is for, in the form in which routes are found and backends are asked. */
export interface RequestedTarget {
  /** The name without port, in lower case. */
  readonly host: string;
  /** The name with port, as the client has sent it. */
  readonly authority: string;
  readonly path: string;
  /** With its question mark; "" without. */
  readonly query: string;
}

/** Limit of the length of a name (characters), as DNS has it; routes are found by each of its ends. */
const maxHost = 255;
const hostSyntax = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_*.-]+)(?::(\d{1,5}))?$/;
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Reads the target and the Host (or :authority) of a request; undefined if they are malformed. An absolute target's own
 * authority counts, as RFC 9112 demands. Dot segments are resolved, so that a path can't leave the one that a rule matches.
 */
export function readTarget(target: string, hostField: string): RequestedTarget | undefined {
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
  const authority = absolute ? (absolute[1] ?? "") : hostField;
  const rest = absolute ? absolute[2] || "/" : target;
  const [, name = ""] = hostSyntax.exec(authority) ?? [];
  const isPath = rest.startsWith("/") || rest === "*";
  if (name === "" || name.length > maxHost || !isPath || /[\0-\x20\x7f#]/.test(rest))
    return undefined;
  const mark = rest.indexOf("?");
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return {
    host: name.toLowerCase().replace(/\.$/, ""),
    authority,
    path: dotSegment.test(path) ? withoutDots(path) : path,
    query: mark < 0 ? "" : rest.slice(mark),
  };
}

/** Upstream: RFC 3986, section 5.2.4. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  const parts = path.split("/").slice(1);
  for (const [index, part] of parts.entries()) {
    const plain = part.replace(/%2e/gi, ".");
    const isLast = index === parts.length - 1;
    if (plain === "..") kept.pop();
    if (plain === "." || plain === "..") {
      if (isLast) kept.push("");
    } else kept.push(part);
  }
  return `/${kept.join("/")}`;
}
