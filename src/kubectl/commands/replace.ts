/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/replace/replace.go. */

import { isNotFound } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { deleteAll, deletionFlags, propagationOf } from "../actions/delete-objects.ts";
import { addSource, CommandError } from "../base/errors.ts";
import { readAll } from "../base/host.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { withoutVersion } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import { subresources } from "../command/completion.ts";
import type { Context } from "../command/context.ts";
import { updateLastApplied } from "../command/last-applied.ts";
import { rawRequest } from "../command/raw-request.ts";
import {
  dryRunFlag,
  dryRunOf,
  type FieldValidation,
  fieldManagerFlag,
  filenameFlags,
  saveConfigFlag,
  subresourceFlag,
  validateFlag,
  validationOf,
} from "../command/shared-flags.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import type { Printer } from "../printers/printer.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { type BuilderOptions, ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import { objectPath, type ResourceInfo } from "../resource/resource-info.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...deletionFlags,
  ...validateFlag,
  ...saveConfigFlag,
  ...dryRunFlag,
  ...fieldManagerFlag("kubectl-replace"),
  ...subresourceFlag("Replace this subresource"),
  raw: {
    type: "string",
    help:
      "Path on the server to PUT the file to, as it is. The kubeconfig says how to reach " +
      "the server",
  },
} satisfies FlagSet;

type ReplaceInvocation = Invocation<typeof flags>;

const forceTimeoutMs = 5 * 60 * 1000;
const pollMs = 1000;

/** `kubectl replace`. */
export const replace = command({
  usage: "replace -f FILENAME",
  flags,
  completesFlags: { subresource: subresources },
  run,
});

interface Replacing {
  readonly flags: ReplaceInvocation["flags"];
  readonly dryRun: DryRun;
  readonly fieldValidation: FieldValidation;
  readonly printer: Printer;
}

async function run({ flags, args }: ReplaceInvocation, context: Context): Promise<void> {
  const fieldValidation = validationOf(flags.validate);
  const dryRun = dryRunOf(flags["dry-run"], context);
  const printer = toPrinter(flags, context, { operation: "replaced", dryRun });
  const cascade = propagationOf(flags.cascade, context);
  if (flags.filename.length === 0 && flags.kustomize === "") {
    throw new CommandError("must specify one of -f and -k");
  }
  const chosen = await context.cluster.namespace();
  validate(flags, dryRun);
  if (flags.raw !== "") {
    return rawRequest(context, { method: "PUT", uri: flags.raw, filename: flags.filename[0] });
  }
  const replacing: Replacing = { flags, dryRun, fieldValidation, printer };
  const options: BuilderOptions = {
    ...fileOptions(flags, chosen),
    subresource: flags.subresource,
    continueOnError: true,
    flatten: true,
  };
  if (flags.force) return forceReplace(replacing, context, { options, args, cascade });
  await new ResourceBuilder(context, { ...options, validate: fieldValidation }).visit(
    async (info) => {
      info.subresource = flags.subresource;
      const object = changedObject(info, flags);
      const shown = dryRun === "client" ? object : await put(replacing, info, object, context);
      printer.print(shown, context.out);
    },
  );
}

function validate(flags: ReplaceInvocation["flags"], dryRun: DryRun): void {
  const grace = flags["grace-period"];
  const rules: (readonly [boolean, string])[] = [
    [grace >= 0 && !flags.force, "--grace-period must have --force specified"],
    [flags.timeout !== 0 && !flags.force, "--timeout must have --force specified"],
    [flags.force && dryRun !== "none", "--dry-run can not be used when --force is set"],
    [
      flags.raw !== "" && flags.filename.length !== 1,
      "--raw can only use a single local file or stdin",
    ],
    [
      flags.raw !== "" && /^https?:\/\//.test(flags.filename[0] ?? ""),
      "--raw cannot read from a url",
    ],
    [flags.raw !== "" && flags.recursive, "--raw and --recursive are mutually exclusive"],
    [flags.raw !== "" && flags.output !== "", "--raw and --output are mutually exclusive"],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

/** Options of a replacement. */
function changedObject(
  { object = {} }: ResourceInfo,
  flags: ReplaceInvocation["flags"],
): Unstructured {
  return updateLastApplied(object, { create: flags["save-config"] });
}

/** PUT of an object; an object without a resourceVersion gets the server's. */
async function put(
  { flags, dryRun, fieldValidation }: Replacing,
  info: ResourceInfo,
  object: Unstructured,
  context: Context,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  const path = objectPath(info);
  try {
    const version = object.metadata?.resourceVersion || (await currentVersion(context, path));
    const metadata =
      version === undefined ? object.metadata : { ...object.metadata, resourceVersion: version };
    const query = {
      dryRun: dryRun === "server" ? "All" : undefined,
      fieldManager: flags["field-manager"],
      fieldValidation,
    };
    return await client.request<Unstructured>({
      method: "PUT",
      path,
      query,
      body: metadata ? { ...object, metadata } : object,
    });
  } catch (error) {
    throw addSource("replacing", info.source, error);
  }
}

async function currentVersion(context: Context, path: string): Promise<string | undefined> {
  const client = await context.cluster.client();
  try {
    const { metadata } = await client.request<Unstructured>({ method: "GET", path });
    return metadata?.resourceVersion;
  } catch {
    // A missing object is created, if that is allowed.
    return undefined;
  }
}

interface Forcing {
  readonly options: BuilderOptions;
  readonly args: readonly string[];
  readonly cascade: ReturnType<typeof propagationOf>;
}

/** Deletes the objects, waits until they are deleted, and creates them again. */
async function forceReplace(
  { flags, fieldValidation, printer }: Replacing,
  given: Context,
  { options, args, cascade }: Forcing,
): Promise<void> {
  const context = await withKeptInput(given, flags.filename);
  const grace = flags["grace-period"];
  const graceSeconds = grace === 0 ? 1 : flags.force && grace < 0 ? -1 : grace;
  const found = new ResourceBuilder(context, { ...options, args, requireObject: false });
  await deleteAll(await found.check(), context, {
    graceSeconds,
    cascade,
    dryRun: "none",
    ignoresMissing: true,
    waits: flags.wait || grace === 0,
    timeoutMs: flags.timeout,
    namesOnly: flags.output === "name",
  });
  const end = context.clock.monotonicMs() + (flags.timeout || forceTimeoutMs);
  await new ResourceBuilder(context, options).visit((info) => untilGone(context, info, end));
  let count = 0;
  const client = await context.cluster.client();
  await new ResourceBuilder(context, { ...options, validate: fieldValidation }).visit(
    async (info) => {
      const object = changedObject(info, flags);
      const created = await client.create(info.mapping, withoutVersion(object), {
        namespace: info.namespace,
        fieldManager: flags["field-manager"],
        fieldValidation,
      });
      count++;
      printer.print(created, context.out);
    },
  );
  if (count === 0) throw new CommandError("no objects passed to replace");
}

/** Standard input can be read only once, but is needed several times. */
async function withKeptInput(context: Context, filenames: readonly string[]): Promise<Context> {
  if (!filenames.includes("-")) return context;
  const bytes = await readAll(context.stdin);
  const again = {
    isTerminal: false,
    [Symbol.asyncIterator]: async function* () {
      yield bytes;
    },
  };
  return { ...context, stdin: again };
}

async function untilGone(context: Context, info: ResourceInfo, end: number): Promise<void> {
  for (;;) {
    try {
      await info.get();
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    if (context.clock.monotonicMs() > end) throw new CommandError("context deadline exceeded");
    await context.clock.sleep(pollMs, context.signal);
  }
}
