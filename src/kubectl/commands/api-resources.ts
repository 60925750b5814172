/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apiresources/apiresources.go. */
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../base/errors.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import type { Mapping } from "../discovery/discovered-group.ts";
import { preferredResources } from "../discovery/preferred-resources.ts";
import { printFlags } from "../printers/print-flags.ts";
import { TabWriter } from "../printers/tab-writer.ts";
import { noPrinter, objectPrinter } from "../printers/to-printer.ts";

const formats = ["json", "yaml", "kyaml", "name", "wide"];

const flags = {
  output: { ...printFlags.output, help: `Output format. One of: (${formats.join(", ")}).` },
  "show-managed-fields": printFlags["show-managed-fields"],
  "no-headers": { type: "bool", help: "Print the table without its first line" },
  "api-group": {
    type: "string",
    help: "Only resource types of this API group; an empty name means the core group",
  },
  namespaced: {
    type: "bool",
    default: true,
    help:
      "Only resource types that live in namespaces (the default of the flag), or with false " +
      "only those that do not",
  },
  verbs: { type: "stringSlice", help: "Only resource types that support all of these verbs" },
  "sort-by": { type: "string", help: "Sort by this column: 'name' or 'kind'" },
  cached: {
    type: "bool",
    help: "Use the list of types in the cache, if there is one, instead of asking the server",
  },
  categories: {
    type: "stringSlice",
    help: "Only resource types that belong to all of these categories",
  },
} satisfies FlagSet;

type ResourcesInvocation = Invocation<typeof flags>;

/** `kubectl api-resources`. */
export const apiResources = command({
  usage: "api-resources",
  flags,
  showsFlagsInUsage: true,
  run,
});

async function run(invocation: ResourcesInvocation, context: Context): Promise<void> {
  const { flags, args } = invocation;
  if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(" ")}]`);
  const { output } = flags;
  if (output !== "" && !formats.includes(output)) throw noPrinter(output, formats);
  if (!["", "name", "kind"].includes(flags["sort-by"])) {
    throw new CommandError("--sort-by accepts only name or kind");
  }
  const discovery = await context.cluster.discovery();
  const groups = flags.cached ? await discovery.groups() : await discovery.refreshed();
  const all = preferredResources(groups, flags["sort-by"]);
  const found = all.filter((each) => isWanted(each, invocation));
  const printer = objectPrinter(output, flags, { keepsOrder: true });
  if (printer) return printer.print(listOf(found), context.out);
  if (output === "name") {
    for (const { name, group } of found)
      context.out.write(`${name}${group === "" ? "" : `.${group}`}\n`);
    return;
  }
  const isWide = output === "wide";
  const table = new TabWriter((text) => context.out.write(text));
  const headers = [
    "NAME",
    "SHORTNAMES",
    "APIVERSION",
    "NAMESPACED",
    "KIND",
    ...(isWide ? ["VERBS", "CATEGORIES"] : []),
  ];
  if (!flags["no-headers"]) table.write(`${headers.join("\t")}\n`);
  for (const each of found) table.write(`${row(each, isWide).join("\t")}\n`);
  table.flush();
}

function isWanted(mapping: Mapping, { flags, changed }: ResourcesInvocation): boolean {
  const { verbs, categories, group, namespaced } = mapping;
  return (
    verbs.length > 0 &&
    (!changed.has("api-group") || flags["api-group"] === group) &&
    (!changed.has("namespaced") || flags.namespaced === namespaced) &&
    flags.verbs.every((verb) => verbs.includes(verb)) &&
    flags.categories.every((category) => categories.includes(category))
  );
}

function row(mapping: Mapping, isWide: boolean): string[] {
  const { name, shortNames, namespaced, kind, verbs, categories } = mapping;
  return [
    name,
    shortNames.join(","),
    apiVersionOf(mapping),
    String(namespaced),
    kind,
    ...(isWide ? [verbs.join(","), categories.join(",")] : []),
  ];
}

function listOf(found: readonly Mapping[]): { kind: string; apiVersion: string } {
  const resources = found.map((each) => ({
    name: each.name,
    singularName: each.singular,
    namespaced: each.namespaced,
    ...(each.group === "" ? {} : { group: each.group }),
    version: each.version,
    kind: each.kind,
    verbs: each.verbs,
    ...(each.shortNames.length > 0 ? { shortNames: each.shortNames } : {}),
    ...(each.categories.length > 0 ? { categories: each.categories } : {}),
  }));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: "", resources } as {
    kind: string;
    apiVersion: string;
  };
}
