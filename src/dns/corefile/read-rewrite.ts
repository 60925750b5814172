import { re2 } from "#/std/go/re2.ts";
import { recordTypes } from "../wire/record.ts";
import type { NameMapping } from "../wire/renamed-reply.ts";
import type { RewriteResult, RewriteRule, RewrittenQuestion } from "./dns-config.ts";
import { CorefileError, type Directive } from "./read-corefile.ts";

/** Limit of the length of a regular expression (characters), as CoreDNS has it. */
const maxPattern = 10_000;

/** `rewrite [continue|stop] type|name …`. Upstream: CoreDNS plugin/rewrite. */
export function readRewrite(plugin: Directive): RewriteRule {
  const { args, line } = plugin;
  const hasMode = args[0] === "continue" || args[0] === "stop";
  const [field = "", ...rest] = hasMode ? args.slice(1) : args;
  if (plugin.inner.length > 0) throw new CorefileError(line, "rewrite has no block here");
  const apply =
    field === "type"
      ? typeRule(plugin, rest)
      : field === "name"
        ? nameRule(plugin, rest)
        : undefined;
  if (!apply)
    throw new CorefileError(line, `rewrite of "${field}" is not supported: only of type and name`);
  return { continues: args[0] === "continue", apply };
}

type Apply = RewriteRule["apply"];

function typeRule({ line }: Directive, args: readonly string[]): Apply {
  const [from, to] = args.map((name) =>
    Object.hasOwn(recordTypes, name.toUpperCase())
      ? recordTypes[name.toUpperCase() as keyof typeof recordTypes]
      : undefined,
  );
  if (args.length !== 2 || from === undefined || to === undefined) {
    throw new CorefileError(
      line,
      `rewrite type needs two types of: ${Object.keys(recordTypes).join(", ")}`,
    );
  }
  return ({ name, type }) =>
    type === from ? { name, type: to, names: [], values: [] } : undefined;
}

const kinds = ["exact", "prefix", "suffix", "substring", "regex"] as const;
type Kind = (typeof kinds)[number];

function nameRule(plugin: Directive, args: readonly string[]): Apply {
  const { line } = plugin;
  const [kind, from = "", to = "", ...options] =
    args.length === 2 ? (["exact", ...args] as const) : args;
  if (!kinds.includes(kind as Kind) || to === "") {
    throw new CorefileError(line, `rewrite name needs one of ${kinds.join(", ")}, and two names`);
  }
  const answers = readAnswers(plugin, options);
  const change = changes[kind as Kind](plugin, from, to.toLowerCase());
  const isAuto = kind === "exact" || answers.isAuto;
  return ({ name, type }: RewrittenQuestion): RewriteResult | undefined => {
    const changed = change(name);
    if (changed === undefined) return undefined;
    const auto = isAuto ? [backward(kind as Kind, { from, to, name, changed })] : [];
    return {
      name: changed,
      type,
      names: [...auto, ...answers.names],
      values: [...auto, ...answers.values],
    };
  };
}

/** How a name changes; undefined if it does not match. */
type Change = (name: string) => string | undefined;

const changes: Readonly<Record<Kind, (plugin: Directive, from: string, to: string) => Change>> = {
  exact: (_, from, to) => (name) => (name === dotted(from) ? dotted(to) : undefined),
  prefix: (_, from, to) => (name) =>
    name.startsWith(from.toLowerCase()) ? to + name.slice(from.length) : undefined,
  suffix: (_, from, to) => (name) => replacedSuffix(name, from, to),
  substring: (_, from, to) => (name) =>
    name.includes(from.toLowerCase()) ? name.replaceAll(from.toLowerCase(), () => to) : undefined,
  regex: (plugin, from, to) => {
    const pattern = compile(plugin, from);
    return (name) => replaced(pattern, name, to);
  },
};

/** Undoes a change in the names of an answer. */
function backward(
  kind: Kind,
  { from, to, name, changed }: { from: string; to: string; name: string; changed: string },
): NameMapping {
  if (kind === "suffix") return (found) => replacedSuffix(found, to, from) ?? found;
  return (found) => (found.toLowerCase() === changed ? name : found);
}

function replacedSuffix(name: string, from: string, to: string): string | undefined {
  const suffix = dotted(from);
  return name.toLowerCase().endsWith(suffix)
    ? name.slice(0, name.length - suffix.length) + dotted(to)
    : undefined;
}

const dotted = (name: string): string => {
  const lower = name.toLowerCase();
  return lower.endsWith(".") ? lower : `${lower}.`;
};

interface Pattern {
  readonly groups: (name: string) => readonly string[] | undefined;
}

function compile({ line }: Directive, text: string): Pattern {
  if (text.length > maxPattern) {
    throw new CorefileError(line, `a regular expression has at most ${maxPattern} characters`);
  }
  const { RE2JS } = re2();
  try {
    const compiled = RE2JS.compile(text);
    return {
      groups: (name) => {
        const matcher = compiled.matcher(name);
        if (!matcher.find()) return undefined;
        return Array.from(
          { length: matcher.groupCount() + 1 },
          (_, group) => matcher.group(group) ?? "",
        );
      },
    };
  } catch (error) {
    throw new CorefileError(line, `${text} is no regular expression: ${(error as Error).message}`);
  }
}

/** The text with {0}, {1} and so on replaced by the groups of a match. */
function replaced(pattern: Pattern, name: string, to: string): string | undefined {
  const groups = pattern.groups(name);
  return groups && to.replace(/\{(\d{1,3})\}/g, (all, group) => groups[Number(group)] ?? all);
}

/** `answer auto`, `answer name FROM TO` and `answer value FROM TO`, several of them. */
function readAnswers(plugin: Directive, options: readonly string[]) {
  const found = { isAuto: false, names: [] as NameMapping[], values: [] as NameMapping[] };
  for (let at = 0; at < options.length; ) {
    if (options[at] === "answer") at++;
    const [kind, from = "", to = ""] = options.slice(at, at + 3);
    if (kind === "auto") {
      found.isAuto = true;
      at++;
      continue;
    }
    if ((kind !== "name" && kind !== "value") || to === "") {
      throw new CorefileError(
        plugin.line,
        "answers are rewritten by: answer auto, answer name FROM TO, answer value FROM TO",
      );
    }
    const pattern = compile(plugin, from);
    const mapping: NameMapping = (name) => replaced(pattern, name, to) ?? name;
    (kind === "name" ? found.names : found.values).push(mapping);
    at += 3;
  }
  return found;
}
