import { FlagError } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { AdmissionPlugin } from "./base/admission-plugin.ts";

type PluginFlags = Pick<
  ApiServerFlags,
  "admission-control" | "enable-admission-plugins" | "disable-admission-plugins"
>;

/**
 * The enabled plugins, in their order. Throws FlagError.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/admission.go.
 */
export function choosePlugins(
  all: readonly AdmissionPlugin[],
  flags: PluginFlags,
): readonly AdmissionPlugin[] {
  const exactly = flags["admission-control"];
  const wanted = flags["enable-admission-plugins"];
  const unwanted = flags["disable-admission-plugins"];
  const problems = checkFlags(new Set(all.map(({ name }) => name)), { exactly, wanted, unwanted });
  if (problems.length > 0) {
    throw new FlagError(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
  }
  if (exactly.length > 0) return all.filter(({ name }) => exactly.includes(name));
  return all.filter(
    ({ name, offByDefault }) => wanted.includes(name) || !(offByDefault || unwanted.includes(name)),
  );
}

interface Names {
  readonly exactly: readonly string[];
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

function checkFlags(
  known: ReadonlySet<string>,
  { exactly, wanted, unwanted }: Names,
): readonly string[] {
  const problems: string[] = [];
  if (exactly.length > 0 && wanted.length + unwanted.length > 0) {
    problems.push(
      "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
    );
  }
  const lists = {
    "admission-control": exactly,
    "enable-admission-plugins": wanted,
    "disable-admission-plugins": unwanted,
  };
  for (const [flag, names] of Object.entries(lists)) {
    for (const name of names) {
      if (!known.has(name)) problems.push(`${flag} plugin ${goQuote(name)} is unknown`);
    }
  }
  const both = wanted.filter((name) => unwanted.includes(name)).sort();
  if (both.length > 0) {
    problems.push(
      `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`,
    );
  }
  return problems;
}
