/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/explain/explain.go. */
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import type { OpenApiDocuments } from "../../discovery/open-api-documents.ts";
import { Models } from "../../openapi/models.ts";
import { explainModel } from "./explain-model.ts";
import { explainSchema } from "./explain-schema.ts";
import { type ExplainedResource, parseExplained } from "./parse-explained.ts";

const flags = {
  recursive: {
    type: "bool",
    shorthand: "R",
    help: "Print the fields of fields, too; --max-depth limits how deep",
  },
  "api-version": { type: "string", help: "API version (group/version) to explain the type in" },
  output: {
    type: "string",
    shorthand: "o",
    default: "plaintext",
    help: "Format to render the schema in (plaintext, plaintext-openapiv2)",
  },
  "max-depth": {
    type: "int",
    help:
      "With --recursive: number of levels that are printed. 0 means no limit. A number " +
      "above 0 needs --recursive",
  },
} satisfies FlagSet;

type ExplainFlags = Invocation<typeof flags>["flags"];

/** `kubectl explain`. */
export const explain = command({
  usage:
    "explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]",
  flags,
  async run({ flags, args }, context) {
    const argument = onlyArgument(args);
    if (flags["max-depth"] > 0 && !flags.recursive) {
      throw new CommandError("--max-depth requires --recursive");
    }
    if (flags["max-depth"] < 0) throw new CommandError("--max-depth must be non-negative");
    const given = await parseExplained(await context.cluster.mapper(), argument, {
      matchGroups: flags["api-version"] === "",
    });
    const documents = await context.cluster.openApi();
    if (await wantsModel(flags.output, documents)) return printModel(given, flags, context);
    return printSchema(given, flags, context);
  },
});

function onlyArgument(args: readonly string[]): string {
  const [argument] = args;
  if (argument === undefined) {
    throw new CommandError(
      'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources.\n',
    );
  }
  if (args.length > 1) throw new CommandError("We accept only this format: explain RESOURCE\n");
  return argument;
}

/** OpenAPI version 2 is used on request, and if the server has no version 3. */
async function wantsModel(output: string, documents: OpenApiDocuments): Promise<boolean> {
  if (output === "plaintext-openapiv2") return true;
  if (output !== "plaintext") return false;
  try {
    await documents.paths();
    return false;
  } catch {
    return true;
  }
}

async function printSchema(
  { mapping, fields }: ExplainedResource,
  flags: ExplainFlags,
  context: Context,
): Promise<void> {
  const { group, version } = versionOf(mapping, flags);
  const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const document = await (await context.cluster.openApi()).find(path);
  const resource = { group, version, resource: mapping.name };
  if (!document) {
    throw new CommandError(
      `couldn't find resource for "${group}/${version}, Resource=${resource.resource}"`,
    );
  }
  if (flags.output !== "plaintext") throw new CommandError(`unrecognized format: ${flags.output}`);
  const { recursive, "max-depth": maxDepth } = flags;
  for (const text of explainSchema({ document, resource, fields, recursive, maxDepth })) {
    context.out.write(text);
  }
}

async function printModel(
  { mapping, fields }: ExplainedResource,
  flags: ExplainFlags,
  context: Context,
): Promise<void> {
  const { group, version } = versionOf(mapping, flags);
  const kind = { group, version, kind: mapping.kind };
  const model = new Models(await (await context.cluster.openApi()).v2()).find(kind);
  if (!model) {
    throw new CommandError(`couldn't find resource for "${group}/${version}, Kind=${kind.kind}"`);
  }
  const { recursive, "max-depth": maxDepth } = flags;
  context.out.write(explainModel({ kind, model, fields, recursive, maxDepth }));
}

/** The version to explain: the requested one, or the server's preferred one. */
function versionOf(
  mapping: ExplainedResource["mapping"],
  { "api-version": apiVersion }: ExplainFlags,
): { readonly group: string; readonly version: string } {
  if (apiVersion === "") return mapping;
  if (apiVersion.split("/").length <= 2) return parseApiVersion(apiVersion);
  throw new CommandError(`unexpected GroupVersion string: ${apiVersion}`);
}
