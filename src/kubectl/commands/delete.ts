import { createInterface } from "node:readline/promises";

import type { FlagSet } from "#/std/flags/flags.ts";
import { deleteAll, deletionFlags, locationOf, propagationOf } from "../actions/delete-objects.ts";
import { withoutNotFound } from "../actions/not-found.ts";
import { CommandError } from "../base/errors.ts";
import type { Invocation } from "../command/command.ts";
import { command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { rawRequest } from "../command/raw-request.ts";
import {
  allNamespacesFlag,
  dryRunFlag,
  dryRunOf,
  fieldSelectorFlag,
  filenameFlags,
  selectorFlag,
} from "../command/shared-flags.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";

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

/** `kubectl delete`. */
export const deleteCommand = command({
  usage: "delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
  flags,
  completes: { of: "resources" },
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

/** Asks the user to confirm the deletion of all objects found; undefined if refused. */
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

/** The first line of the standard input. */
async function firstLine(context: Context): Promise<string> {
  const { Readable } = await import("node:stream");
  const lines = createInterface({ input: Readable.from(context.stdin) });
  for await (const line of lines) return line;
  return "";
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
