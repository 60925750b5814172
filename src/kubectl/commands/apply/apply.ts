/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go. */

import type { FlagSet } from "#/std/flags/flags.ts";
import { deletionFlags, propagationOf } from "../../actions/delete-objects.ts";
import { CommandError, throwAll, usageError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import { subresources } from "../../command/completion.ts";
import type { Context } from "../../command/context.ts";
import { recordChange } from "../../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
  selectorFlag,
  subresourceFlag,
  validateFlag,
  validationOf,
} from "../../command/shared-flags.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { type PrintValues, printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { applyClientSide } from "./apply-client-side.ts";
import { applyServerSide } from "./apply-server-side.ts";
import { ApplySet } from "./apply-set.ts";
import type { Applying } from "./applying.ts";
import { parsePruneKinds, pruneObjects } from "./prune.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...recordFlag,
  ...deletionFlags,
  ...validateFlag,
  ...dryRunFlag,
  ...selectorFlag,
  ...fieldManagerFlag("kubectl-client-side-apply"),
  ...subresourceFlag("Apply to this subresource. Only with --server-side"),
  "server-side": {
    type: "bool",
    help:
      "Let the server merge the configuration into the object (server-side apply), instead " +
      "of kubectl",
  },
  "force-conflicts": {
    type: "bool",
    help:
      "With --server-side: take over fields that other managers have set to other values, " +
      "instead of failing",
  },
  "prune-allowlist": {
    type: "stringArray",
    help: "Kinds that --prune may delete, as <group/version/kind>, instead of the default list",
  },
  all: {
    type: "bool",
    help:
      "With --prune: consider all objects of the namespaces that the files use, instead of " +
      "those that a selector matches",
  },
  applyset: {
    type: "string",
    hidden: true,
    help:
      "[alpha] ApplySet that records which objects belong together, for pruning. Its parent " +
      "object is created if it does not exist. Written as [RESOURCE][.GROUP]/NAME; without " +
      "RESOURCE, a Secret is used",
  },
  prune: {
    type: "bool",
    help:
      "Delete objects that were created by apply or by create --save-config and are no " +
      "longer in the files. Needs -l or --all",
  },
  overwrite: {
    type: "bool",
    default: true,
    help: "Resolve conflicts between the files and the objects by the values of the files",
  },
  "openapi-patch": {
    type: "bool",
    default: true,
    help:
      "Merge by the server's OpenAPI schema where it describes the type. Otherwise merge by " +
      "the types that kubectl knows",
  },
} satisfies FlagSet;

type ApplyInvocation = Invocation<typeof flags>;

type ApplyFlags = ApplyInvocation["flags"];

/** `kubectl apply`. */
export const apply = command({
  usage: "apply (-f FILENAME | -k DIRECTORY)",
  flags,
  completesFlags: { subresource: subresources },
  subcommands: [
    {
      name: "edit-last-applied",
      summary: "Edit latest last-applied-configuration annotations of a resource/object",
      load: async () => (await import("./edit-last-applied.ts")).editLastApplied,
    },
    {
      name: "set-last-applied",
      summary:
        "Set the last-applied-configuration annotation on a live object to match the contents of a file",
      load: async () => (await import("./set-last-applied.ts")).setLastApplied,
    },
    {
      name: "view-last-applied",
      summary: "View the latest last-applied-configuration annotations of a resource/object",
      load: async () => (await import("./view-last-applied.ts")).viewLastApplied,
    },
  ],
  run,
});

async function run({ flags, changed, args }: ApplyInvocation, context: Context): Promise<void> {
  if (changed.has("applyset") && context.env["KUBECTL_APPLYSET"] !== "true") {
    throw new CommandError("unknown flag: --applyset\nSee 'kubectl apply --help' for usage.");
  }
  if (args.length > 0) throw usageError(context, `Unexpected args: [${args.join(" ")}]`);
  const dryRun = dryRunOf(flags["dry-run"], context);
  const cascade = propagationOf(flags.cascade, context);
  if (flags.filename.length === 0 && flags.kustomize === "") {
    throw new CommandError("must specify one of -f and -k");
  }
  const fieldValidation = validationOf(flags.validate);
  const chosen = await context.cluster.namespace();
  const { namespace, explicit } = chosen;
  const applySet =
    flags.applyset === ""
      ? undefined
      : await ApplySet.open(context, flags.applyset, { namespace, explicit });
  const pruneKinds = flags.prune ? await parsePruneKinds(context, flags["prune-allowlist"]) : [];
  validate(flags, dryRun, applySet !== undefined);
  await applySet?.validate();
  const applying: Applying = {
    context,
    flags,
    dryRun,
    cascade,
    fieldValidation,
    fieldManager: fieldManagerOf(flags, changed.has("field-manager")),
    visitedUids: new Set(),
    visitedNamespaces: new Set(explicit ? [namespace] : []),
    print: (operation, object) => printOne(flags, context, { operation, dryRun }, object),
  };
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    selector: flags.selector,
    continueOnError: true,
    flatten: true,
    validate: fieldValidation,
  });
  const { infos, error } = await builder.tryInfos();
  await applyAll(applying, infos, error, applySet);
  printAll(flags, context, infos, dryRun);
  if (applySet) await applySet.prune(applying);
  else if (flags.prune) await pruneObjects(applying, pruneKinds, namespace);
}

async function applyAll(
  applying: Applying,
  infos: readonly ResourceInfo[],
  found: unknown,
  applySet: ApplySet | undefined,
): Promise<void> {
  const errors: unknown[] = found === undefined ? [] : [found];
  applySet?.label(infos);
  if (infos.length === 0 && errors.length === 0)
    throw new CommandError("no objects passed to apply");
  await applySet?.beforeApply(infos, applying);
  for (const info of infos) {
    try {
      await applyOne(applying, info);
    } catch (error) {
      errors.push(error);
    }
  }
  throwAll(errors);
}

async function applyOne(applying: Applying, info: ResourceInfo): Promise<void> {
  if (info.namespaced) applying.visitedNamespaces.add(info.namespace);
  if (info.object) info.object = recordChange(info.object, applying.flags, applying.context);
  const generateName = info.object?.metadata?.generateName ?? "";
  if (info.name === "" && generateName !== "") {
    throw new CommandError(`from ${generateName}: cannot use generate name with apply`);
  }
  if (applying.flags["server-side"]) await applyServerSide(applying, info);
  else await applyClientSide(applying, info);
}

function fieldManagerOf(flags: ApplyFlags, isGiven: boolean): string {
  if (isGiven) return flags["field-manager"];
  return flags["server-side"] ? "kubectl" : "kubectl-client-side-apply";
}

const printsObjects = ({ output }: PrintValues): boolean => output !== "" && output !== "name";

interface Operation {
  readonly operation: string;
  readonly dryRun: Applying["dryRun"];
}

/** Prints the operation on one object, unless all are printed at the end. */
function printOne(
  flags: ApplyFlags,
  context: Context,
  done: Operation,
  object: Unstructured,
): void {
  if (printsObjects(flags) && done.operation !== "pruned") return;
  toPrinter(flags, context, done).print(object, context.out);
}

function printAll(
  flags: ApplyFlags,
  context: Context,
  infos: readonly ResourceInfo[],
  dryRun: Applying["dryRun"],
): void {
  const objects = infos.flatMap(({ object }) => (object ? [object] : []));
  const [first, second] = objects;
  if (!printsObjects(flags) || first === undefined) return;
  const printer = toPrinter(flags, context, {
    operation: "",
    dryRun,
    keepsOrder: second !== undefined,
  });
  const list = {
    kind: "List",
    apiVersion: "v1",
    metadata: {},
    items: objects.map((each) => sortedKeys(each) as Unstructured),
  };
  printer.print(second === undefined ? first : list, context.out);
}

function validate(flags: ApplyFlags, dryRun: Applying["dryRun"], hasSet: boolean): void {
  const serverSide = flags["server-side"];
  const rules: (readonly [boolean, string])[] = [
    [flags["force-conflicts"] && !serverSide, "--force-conflicts only works with --server-side"],
    [
      dryRun === "client" && serverSide,
      "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
    ],
    [serverSide && flags.force, "--force cannot be used with --server-side"],
    [dryRun === "server" && flags.force, "--dry-run=server cannot be used with --force"],
    [flags.all && flags.selector !== "", "cannot set --all and --selector at the same time"],
    [hasSet && !flags.prune, "--applyset requires --prune"],
    [flags.prune && flags.force, "--force cannot be used with --prune"],
    [flags.prune && hasSet && flags.all, "--all is incompatible with --applyset"],
    [flags.prune && hasSet && flags.selector !== "", "--selector is incompatible with --applyset"],
    [
      flags.prune && hasSet && flags["prune-allowlist"].length > 0,
      "--prune-allowlist is incompatible with --applyset",
    ],
    [
      flags.prune && !hasSet && !flags.all && flags.selector === "",
      "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
    ],
    [
      flags.prune && !hasSet && serverSide,
      "--prune is in alpha and doesn't currently work on objects created by server-side apply",
    ],
    [
      flags.subresource !== "" && !serverSide,
      "--subresource can only be specified for --server-side",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}
