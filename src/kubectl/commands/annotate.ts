/** Upstream: k8s.io/kubectl/pkg/cmd/annotate/annotate.go. */
import type { FlagSet } from "#/std/flags.ts";
import { command, type Invocation } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  fieldSelectorFlag,
  filenameFlags,
  recordFlag,
  selectorFlag,
} from "../flags/shared-flags.ts";
import { type Changes, parsePairs, splitPairs } from "../pairs.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import type { Unstructured } from "../unstructured.ts";
import { listPairs, send } from "./label.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  recursive: { ...filenameFlags.recursive, default: true },
  ...dryRunFlag,
  ...fieldManagerFlag("kubectl-annotate"),
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allNamespacesFlag(),
  ...recordFlag,
  overwrite: { type: "bool", help: "Change annotations that have another value" },
  list: { type: "bool", help: "Show the annotations" },
  local: { type: "bool", help: "Work on files, without asking the server" },
  all: { type: "bool", help: "All objects of the types that are named" },
  "resource-version": { type: "string", help: "Only if the object has this version" },
} satisfies FlagSet;

type AnnotateInvocation = Invocation<typeof flags>;

/** Why something was changed, which may always be overwritten. */
const changeCause = "kubernetes.io/change-cause";

/** `kubectl annotate`. */
export const annotate = command({
  usage:
    "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  description: `Sets, changes or removes (KEY-) annotations of objects.

Use "kubectl api-resources" for a complete list of supported resources.`,
  examples: [
    ["Set", "kubectl annotate pods web description='my frontend'"],
    ["Remove", "kubectl annotate pods web description-"],
  ],
  flags,
  run,
});

async function run({ flags, args }: AnnotateInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const { resources, pairs } = splitPairs(args, "annotation");
  const changes = parsePairs(pairs, "annotation", { removable: true });
  validate(flags, { resources, changes, dryRun });
  const printer = toPrinter(flags, context, { operation: "annotated", dryRun });
  const { namespace, explicit } = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    namespace,
    enforceNamespace: explicit && flags.filename.length > 0,
    filenames: flags.filename,
    kustomize: flags.kustomize,
    recursive: flags.recursive,
    local: flags.local,
    flatten: true,
    continueOnError: true,
    ...(flags.local
      ? {}
      : {
          selector: flags.selector,
          fieldSelector: flags["field-selector"],
          allNamespaces: flags["all-namespaces"],
          all: flags.all,
          args: resources,
          latest: true,
        }),
  });
  const isSingle = await builder.singleItemImplied();
  if (!isSingle && flags["resource-version"] !== "") {
    throw new CommandError("--resource-version may only be used with a single resource");
  }
  await builder.visit(async (info) => {
    const before = info.object ?? {};
    const after = changed(before, changes, flags);
    const isLocal = dryRun === "client" || flags.local || flags.list;
    const object = isLocal ? after : await send({ flags, dryRun }, info, before, after, context);
    if (flags.list) {
      listPairs(context, info, object.metadata?.annotations ?? {}, {
        isSingle,
        what: "annotations",
      });
    } else printer.print(object, context.out);
  });
}

interface Checked {
  readonly resources: readonly string[];
  readonly changes: Changes;
  readonly dryRun: DryRun;
}

function validate(
  flags: AnnotateInvocation["flags"],
  { resources, changes, dryRun }: Checked,
): void {
  const hasFiles = flags.filename.length > 0 || flags.kustomize !== "";
  const both = changes.remove.filter((key) => Object.hasOwn(changes.set, key));
  const rules: (readonly [boolean, string])[] = [
    [flags.list && flags.output !== "", "--list and --output may not be specified together"],
    [flags.all && flags.selector !== "", "cannot set --all and --selector at the same time"],
    [
      flags.all && flags["field-selector"] !== "",
      "cannot set --all and --field-selector at the same time",
    ],
    [
      !flags.local && resources.length === 0 && !hasFiles,
      "one or more resources must be specified as <resource> <name> or <resource>/<name>",
    ],
    [
      flags.local && dryRun === "server",
      "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
    ],
    [
      flags.local && resources.length > 0,
      "can only use local files by -f rsrc.yaml or --filename=rsrc.json when --local=true is set",
    ],
    [
      flags.local && !hasFiles,
      "one or more files must be specified as -f rsrc.yaml or --filename=rsrc.json",
    ],
    [
      Object.keys(changes.set).length === 0 && changes.remove.length === 0 && !flags.list,
      "at least one annotation update is required",
    ],
    [
      both.length > 0,
      `can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`,
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

function changed(
  object: Unstructured,
  { set, remove }: Changes,
  flags: AnnotateInvocation["flags"],
): Unstructured {
  const before = object.metadata?.annotations ?? {};
  const taken = Object.entries(set).filter(
    ([key, value]) => key !== changeCause && key in before && before[key] !== value,
  );
  if (!flags.overwrite && taken.length > 0) {
    const texts = taken.map(([key]) => `'${key}' already has a value (${before[key]})`);
    throw new CommandError(
      `--overwrite is false but found the following declared annotation(s): ${texts.join("; ")}`,
    );
  }
  const kept = Object.entries({ ...before, ...set }).filter(([key]) => !remove.includes(key));
  const version = flags["resource-version"];
  const metadata = {
    ...object.metadata,
    annotations: Object.fromEntries(kept),
    ...(version === "" ? {} : { resourceVersion: version }),
  };
  if (kept.length === 0) delete (metadata as { annotations?: unknown }).annotations;
  return { ...object, metadata };
}
