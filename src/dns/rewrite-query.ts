import type { RewriteRule } from "./corefile/dns-config.ts";
import { type DnsQuery, decodeQuery } from "./wire/query.ts";
import { type NameMapping, renamedReply, requestWith } from "./wire/renamed-reply.ts";

interface RewrittenQuery {
  readonly request: Buffer;
  readonly query: DnsQuery;
  /** The reply to the original query. */
  restore(reply: Buffer): Buffer;
}

/** Applies rules to a query; undefined if none matches, "impossible" if the new name is no name. */
export function rewriteQuery(
  rules: readonly RewriteRule[],
  request: Buffer,
  query: DnsQuery,
): RewrittenQuery | "impossible" | undefined {
  let question = { name: `${query.question.name.toLowerCase()}.`, type: query.question.type };
  const names: NameMapping[] = [];
  const values: NameMapping[] = [];
  let isChanged = false;
  for (const rule of rules) {
    const result = rule.apply(question);
    if (!result) continue;
    isChanged = true;
    question = { name: result.name, type: result.type };
    names.push(...result.names);
    values.push(...result.values);
    if (!rule.continues) break;
  }
  if (!isChanged) return undefined;
  if (!isName(question.name)) return "impossible";
  const changed = requestWith(request, query, question);
  if (!changed) return "impossible";
  return {
    request: changed,
    query: decodeQuery(changed),
    restore: (reply) => renamedReply(reply, request, query, { names, values }),
  };
}

/** Labels have 1 to 63 characters; one with a backslash may have more. */
const isName = (name: string): boolean =>
  name === "." || /^((?:[^.\\]|\\.){1,63}\.)+$/.test(name.endsWith(".") ? name : `${name}.`);
