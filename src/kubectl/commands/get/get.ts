/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/get.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import { subresources } from "../../command/completion.ts";
import type { Context } from "../../command/context.ts";
import {
  allNamespacesFlag,
  chunkSizeFlag,
  fieldSelectorFlag,
  filenameFlags,
  selectorFlag,
  subresourceFlag,
} from "../../command/shared-flags.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { type BuilderOptions, ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import { getFormats } from "./get-formats.ts";
import { printTables } from "./print-tables.ts";

const flags = {
  ...printFlags,
  output: {
    ...printFlags.output,
    help:
      `Output format. One of: (${getFormats.join(", ")}). Described at ` +
      "https://kubernetes.io/docs/reference/kubectl/#custom-columns for custom columns, " +
      "http://golang.org/pkg/text/template/#pkg-overview for Go templates, and " +
      "https://kubernetes.io/docs/reference/kubectl/jsonpath/ for JSONPath",
  },
  ...filenameFlags,
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...chunkSizeFlag,
  ...allNamespacesFlag(),
  ...subresourceFlag("Get this subresource of the object instead"),
  raw: {
    type: "string",
    help: "Path on the server to GET, as it is. The kubeconfig says how to reach the server",
  },
  watch: {
    type: "bool",
    shorthand: "w",
    help: "After the list, go on with objects as they change",
  },
  "watch-only": { type: "bool", help: "Print objects as they change, without the list before" },
  "output-watch-events": {
    type: "bool",
    help:
      "With --watch or --watch-only: print events instead of objects. Objects that exist " +
      "are ADDED events",
  },
  "ignore-not-found": {
    type: "bool",
    help:
      "Do not fail if an object that is named does not exist. It has no effect on lists: an " +
      "empty one is no failure",
  },
  "server-print": {
    type: "bool",
    default: true,
    help:
      "Let the server make the table. This works for custom resources and extension APIs, " + "too",
  },
  "show-labels": {
    type: "bool",
    help: "Show all labels in the last column; by default there is no such column",
  },
  "sort-by": {
    type: "string",
    help:
      "Sort lists by this field, a JSONPath expression such as '{.metadata.name}'. The " +
      "field must hold an integer or a string",
  },
  "label-columns": {
    type: "stringSlice",
    shorthand: "L",
    help:
      "Labels that get columns of their own, separated by commas. Their names are " +
      "case-sensitive. May be repeated: -L tier -L stage",
  },
  "show-kind": { type: "bool", help: "Show the resource type before each name" },
  "no-headers": {
    type: "bool",
    help: "Print the table or the custom columns without their first line",
  },
} satisfies FlagSet;

export type GetInvocation = Invocation<typeof flags>;

/** `kubectl get`. */
export const get = command({
  usage: `get [(-o|--output=)${getFormats.join("|")}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]`,
  flags,
  completes: { of: "resources" },
  completesFlags: { output: { of: "words", words: getFormats }, subresource: subresources },
  interruptedCode: 1,
  run,
});

async function run(invocation: GetInvocation, context: Context): Promise<void> {
  const { flags, args } = invocation;
  checkRaw(invocation);
  if (flags.raw !== "") {
    const { rawRequest } = await import("../../command/raw-request.ts");
    return rawRequest(context, { method: "GET", uri: flags.raw });
  }
  const options = await builderOptions(invocation, context);
  complain(invocation, context);
  validate(invocation);
  if (flags.watch || flags["watch-only"]) {
    const { watchResources } = await import("./watch-resources.ts");
    return watchResources(invocation, context, options);
  }
  const builder = new ResourceBuilder(context, {
    ...options,
    subresource: flags.subresource,
    chunkSize: flags["sort-by"] === "" ? flags["chunk-size"] : 0,
    args,
    continueOnError: true,
    flatten: true,
  });
  await builder.check();
  if (isHumanReadable(flags)) return printTables(invocation, context, builder);
  const { printObjects } = await import("./print-objects.ts");
  await printObjects(invocation, context, builder);
}

/** True for table output: no -o, or -o wide. */
export function isHumanReadable({ output, template }: GetInvocation["flags"]): boolean {
  return (output === "" && template === "") || output === "wide";
}

const tableAccept = [
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json",
].join(",");

async function builderOptions(
  { flags, args }: GetInvocation,
  context: Context,
): Promise<BuilderOptions> {
  const { namespace, explicit } = await context.cluster.namespace();
  const asTable = isHumanReadable(flags) && flags["server-print"];
  return {
    ...fileOptions(flags, { namespace, explicit: explicit && !flags["all-namespaces"] }),
    allNamespaces: flags["all-namespaces"],
    selector: flags.selector,
    fieldSelector: flags["field-selector"],
    chunkSize: flags["chunk-size"],
    args,
    allowEmptySelector: true,
    latest: true,
    ...(asTable ? { headers: { accept: tableAccept } } : {}),
    ...(asTable && flags["sort-by"] !== "" ? { query: { includeObject: "Object" } } : {}),
  };
}

function checkRaw({ flags, args }: GetInvocation): void {
  if (flags.raw === "") return;
  if (args.length > 0)
    throw new CommandError("arguments may not be passed when --raw is specified");
  if (flags.watch || flags["watch-only"] || flags.selector !== "") {
    throw new CommandError(
      "--raw may not be specified with other flags that filter the server request or alter the output",
    );
  }
  if (flags.output !== "") throw new CommandError("--raw and --output are mutually exclusive");
}

function complain({ flags, args }: GetInvocation, context: Context): void {
  const sorts = flags["sort-by"] !== "";
  if (flags.watch) {
    if (sorts) {
      context.err.write(
        "warning: --watch requested, --sort-by will be ignored for watch events received\n",
      );
    }
    return;
  }
  if (flags["watch-only"]) {
    if (sorts) context.err.write("warning: --watch-only requested, --sort-by will be ignored\n");
    return;
  }
  if (args.length > 0 || flags.filename.length > 0 || flags.kustomize !== "") return;
  context.err.write(
    'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.\n\n',
  );
  throw usageError(
    context,
    'Required resource not specified.\nUse "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).',
  );
}

function validate({ flags }: GetInvocation): void {
  const { output } = flags;
  if (flags["show-labels"] && output !== "" && output !== "wide") {
    throw new CommandError(`--show-labels option cannot be used with ${output} printer`);
  }
  if (flags["label-columns"].length > 0 && output.startsWith("custom-columns")) {
    throw new CommandError(`--label-columns option cannot be used with ${output} printer`);
  }
  if (flags["output-watch-events"] && !flags.watch && !flags["watch-only"]) {
    throw new CommandError(
      "--output-watch-events option can only be used with --watch or --watch-only",
    );
  }
}
