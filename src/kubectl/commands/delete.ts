/** Upstream: k8s.io/kubectl/pkg/cmd/delete. */
import { createInterface } from "node:readline/promises";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { parseGoBool } from "#/std/go/strconv.ts";
import { command, type Invocation } from "../command.ts";
import type { Context } from "../context.ts";
import { addSource, CommandError } from "../errors.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  dryRunOf,
  fieldSelectorFlag,
  filenameFlags,
  selectorFlag,
} from "../flags/shared-flags.ts";
import type { DryRun } from "../printers/print-flags.ts";
import { operationText } from "../printers/print-flags.ts";
import { rawRequest } from "../raw-request.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { fieldAt, type Unstructured } from "../unstructured.ts";
import { withoutNotFound } from "./get/not-found.ts";
import { untilDeleted } from "./wait.ts";

/** How objects are deleted, for commands that do so on the way. */
export const deletionFlags = {
  cascade: {
    type: "string",
    default: "background",
    bare: "background",
    help:
      'Must be "background", "orphan", or "foreground". What happens to dependents, such as ' +
      "the Pods of a ReplicaSet: deleted after the object, kept, or deleted before it. The " +
      "default is background",
  },
  force: {
    type: "bool",
    help:
      "Remove objects from the API at once, without graceful deletion. For some types this " +
      "can cause inconsistency or loss of data, and needs confirmation",
  },
  "grace-period": {
    type: "int",
    default: -1,
    help:
      "Seconds that objects get to end gracefully. Negative values are ignored; 1 means an " +
      "immediate shutdown. 0 is allowed only together with --force",
  },
  timeout: {
    type: "duration",
    help: "How long to wait for a deletion; zero means a time that depends on the object",
  },
  wait: { type: "bool", help: "Wait until the objects are gone, which includes their finalizers" },
} satisfies FlagSet;

const flags = {
  ...filenameFlags,
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allNamespacesFlag(),
  ...deletionFlags,
  ...dryRunFlag,
  all: { type: "bool", help: "Delete all objects of the given types in the namespace" },
  now: { type: "bool", help: "Ask for an immediate shutdown (same as --grace-period=1)" },
  "ignore-not-found": {
    type: "bool",
    help: 'Treat an object that does not exist as deleted. The default is "true" with --all',
  },
  wait: { ...deletionFlags.wait, default: true },
  output: {
    type: "string",
    shorthand: "o",
    help: 'Output mode. "-o name" prints the short form resource/name',
  },
  raw: {
    type: "string",
    help: "Path on the server to send DELETE to. The kubeconfig says how to reach the server",
  },
  interactive: { type: "bool", shorthand: "i", help: "Ask before anything is deleted" },
} satisfies FlagSet;

type DeleteInvocation = Invocation<typeof flags>;

type DeleteFlags = DeleteInvocation["flags"];

/** What stands for no time limit. */
const longestWaitMs = 168 * 60 * 60 * 1000;

/** `kubectl delete`. */
export const deleteCommand = command({
  usage: "delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
  flags,
  run,
});

async function run({ flags, changed, args }: DeleteInvocation, context: Context): Promise<void> {
  const cascade = propagationOf(flags.cascade, context);
  const chosen = await context.cluster.namespace();
  const { explicit } = chosen;
  const selects = flags.all || flags.selector !== "" || flags["field-selector"] !== "";
  const ignoresMissing = flags["ignore-not-found"] || (selects && !changed.has("ignore-not-found"));
  const graceSeconds = graceOf(flags);
  const dryRun = dryRunOf(flags["dry-run"], context);
  if (flags.raw !== "") {
    validate(flags, graceSeconds, context);
    return rawRequest(context, { method: "DELETE", uri: flags.raw, filename: flags.filename[0] });
  }
  const builder = (): ResourceBuilder =>
    new ResourceBuilder(context, {
      ...fileOptions(flags, chosen),
      selector: flags.selector,
      fieldSelector: flags["field-selector"],
      all: flags.all,
      allNamespaces: flags["all-namespaces"],
      args,
      requireObject: false,
      flatten: true,
      continueOnError: true,
    });
  const found = await builder().check();
  validate(flags, graceSeconds, context);
  const only = flags.interactive ? await confirmed(context, builder(), ignoresMissing) : undefined;
  if (flags.interactive && only === undefined) return;
  await deleteAll(found, context, {
    graceSeconds,
    cascade,
    dryRun,
    ignoresMissing,
    warnsOfScope: explicit && !flags["all-namespaces"],
    waits: flags.wait,
    timeoutMs: flags.timeout,
    namesOnly: flags.output === "name",
    ...(only ? { only } : {}),
  });
}

export interface DeleteOptions {
  readonly graceSeconds: number;
  readonly cascade: Propagation;
  readonly dryRun: DryRun;
  readonly ignoresMissing: boolean;
  readonly warnsOfScope?: boolean;
  readonly waits: boolean;
  readonly timeoutMs: number;
  readonly namesOnly?: boolean;
  readonly quiet?: boolean;
  /** What the user has agreed to. */
  readonly only?: ReadonlySet<string>;
}

/** Deletes what a builder finds, and waits for the end of it where that is wanted. */
export async function deleteAll(
  builder: ResourceBuilder,
  context: Context,
  options: DeleteOptions,
): Promise<void> {
  const { dryRun, waits, timeoutMs } = options;
  let warns = options.warnsOfScope === true;
  const deleted: { info: ResourceInfo; uid: string | undefined }[] = [];
  try {
    await builder.visit(async (info) => {
      if (options.only && !options.only.has(locationOf(info))) return;
      if (warns && !info.mapping.namespaced) {
        context.cluster.warn(
          "deleting cluster-scoped resources, not scoped to the provided namespace",
        );
        warns = false;
      }
      const entry: { info: ResourceInfo; uid: string | undefined } = { info, uid: undefined };
      deleted.push(entry);
      if (dryRun !== "client") entry.uid = await deleteOne(info, context, options);
      if (!options.quiet) context.out.write(deletedText(info, options));
    });
  } catch (error) {
    const rest = options.ignoresMissing ? withoutNotFound(error) : error;
    if (rest !== undefined) throw rest;
  }
  if (deleted.length === 0) context.out.write("No resources found\n");
  if (!waits || dryRun !== "none") return;
  for (const { info, uid } of deleted) {
    await untilGone(context, info, { timeoutMs: timeoutMs || longestWaitMs, uid });
  }
}

async function untilGone(
  context: Context,
  info: ResourceInfo,
  options: { readonly timeoutMs: number; readonly uid: string | undefined },
): Promise<void> {
  try {
    await untilDeleted(context, info, options);
  } catch (error) {
    // Who may delete but not look has done what could be done.
    if (isStatusError(error, "Forbidden") || isStatusError(error, "MethodNotAllowed")) return;
    throw error;
  }
}

async function deleteOne(
  info: ResourceInfo,
  context: Context,
  { graceSeconds, cascade, dryRun }: DeleteOptions,
): Promise<string | undefined> {
  const client = await context.cluster.client();
  try {
    const answer = (await client.delete(info.mapping, info.ref(), {
      ...(graceSeconds >= 0 ? { gracePeriodSeconds: graceSeconds } : {}),
      propagationPolicy: cascade,
      dryRun: dryRun === "server",
    })) as Unstructured;
    const uid = answer.kind === "Status" ? fieldAt(answer, "details", "uid") : answer.metadata?.uid;
    return typeof uid === "string" ? uid : undefined;
  } catch (error) {
    throw addSource("deleting", info.source, error);
  }
}

function deletedText(
  info: ResourceInfo,
  { graceSeconds, dryRun, namesOnly }: DeleteOptions,
): string {
  const { kind, group } = info.mapping;
  const type = group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
  if (namesOnly) return `${type}/${info.name}\n`;
  const done = graceSeconds === 0 ? "force deleted" : "deleted";
  const place = info.namespaced ? ` from ${info.namespace} namespace` : "";
  return `${type} "${info.name}" ${operationText(`${done}${place}`, dryRun)}\n`;
}

const locationOf = ({ mapping, namespace, name }: ResourceInfo): string =>
  [mapping.group, mapping.name, namespace, name].join("/");

/** Asks whether all that is found is to be deleted; undefined if not. */
async function confirmed(
  context: Context,
  builder: ResourceBuilder,
  ignoresMissing: boolean,
): Promise<ReadonlySet<string> | undefined> {
  const { infos, error } = await builder.tryInfos();
  const failure = ignoresMissing ? withoutNotFound(error) : error;
  if (failure !== undefined) throw failure;
  if (infos.length === 0) {
    context.out.write("No resources found\n");
    return undefined;
  }
  const names = infos.map(({ mapping: { kind, group }, name }) =>
    group === "" ? `${kind.toLowerCase()}/${name}\n` : `${kind.toLowerCase()}.${group}/${name}\n`,
  );
  context.out.write(
    `You are about to delete the following ${infos.length} resource(s):\n${names.join("")}Do you want to continue? (y/N): `,
  );
  const answer = await firstLine(context);
  if (answer.trim().toLowerCase() === "y") return new Set(infos.map(locationOf));
  context.out.write("deletion is cancelled\n");
  return undefined;
}

/** The first line of the standard input. */
async function firstLine(context: Context): Promise<string> {
  const { Readable } = await import("node:stream");
  const lines = createInterface({ input: Readable.from(context.stdin) });
  for await (const line of lines) return line;
  return "";
}

function graceOf(flags: DeleteFlags): number {
  const given = flags["grace-period"];
  if (flags.now) {
    if (given !== -1)
      throw new CommandError("--now and --grace-period cannot be specified together");
    return 1;
  }
  if (given === 0 && !flags.force) return 1;
  return flags.force && given < 0 ? 0 : given;
}

function validate(flags: DeleteFlags, graceSeconds: number, context: Context): void {
  if (flags.output !== "" && flags.output !== "name") {
    throw new CommandError(`unexpected -o output mode: ${flags.output}. We only support '-o name'`);
  }
  if (flags.all && flags.selector !== "") {
    throw new CommandError("cannot set --all and --selector at the same time");
  }
  if (flags.all && flags["field-selector"] !== "") {
    throw new CommandError("cannot set --all and --field-selector at the same time");
  }
  if (flags.force && graceSeconds === 0) {
    context.cluster.warn(
      "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.",
    );
  }
  if (flags.force && graceSeconds > 0) {
    throw new CommandError(
      "--force and --grace-period greater than 0 cannot be specified together",
    );
  }
  if (flags.raw !== "") validateRaw(flags);
}

function validateRaw(flags: DeleteFlags): void {
  if (flags.interactive) throw new CommandError("--interactive can not be used with --raw");
  if (flags.filename.length > 1) {
    throw new CommandError("--raw can only use a single local file or stdin");
  }
  if (/^https?:\/\//.test(flags.filename[0] ?? "")) {
    throw new CommandError("--raw cannot read from a url");
  }
  if (flags.recursive) throw new CommandError("--raw and --recursive are mutually exclusive");
  if (flags.output !== "") throw new CommandError("--raw and --output are mutually exclusive");
}

export type Propagation = "Orphan" | "Background" | "Foreground";

/** What --cascade asks for. */
export function propagationOf(value: string, context: Context): Propagation {
  const known: Readonly<Record<string, Propagation>> = {
    orphan: "Orphan",
    foreground: "Foreground",
    background: "Background",
  };
  const found = Object.hasOwn(known, value) ? known[value] : undefined;
  if (found) return found;
  let asBool: boolean;
  try {
    asBool = parseGoBool(value);
  } catch {
    throw new CommandError(
      `invalid cascade value (${value}). Must be "background", "foreground", or "orphan"`,
    );
  }
  const instead = asBool ? "background" : "orphan";
  context.err.write(
    `warning: --cascade=${value} is deprecated (boolean value) and can be replaced with --cascade=${instead}.\n`,
  );
  return asBool ? "Background" : "Orphan";
}
