/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/patch/patch.go. */

import { readFileSync } from "node:fs";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { applyJsonPatch, decodeJsonPatch } from "#/machinery/patch/json-patch.ts";
import { applyMergePatch } from "#/machinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { asDoubles } from "#/machinery/patch/values/as-doubles.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { openFailure } from "#/std/files/file-errors.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { kindOf, type Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import { subresources } from "../command/completion.ts";
import type { Context } from "../command/context.ts";
import { recordPatch } from "../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
  subresourceFlag,
} from "../command/shared-flags.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  ...fieldManagerFlag("kubectl-patch"),
  ...subresourceFlag("Patch this subresource"),
  ...recordFlag,
  patch: { type: "string", shorthand: "p", help: "Patch to apply to the object, in JSON or YAML" },
  "patch-file": { type: "string", help: "File with the patch to apply to the object" },
  type: {
    type: "string",
    default: "strategic",
    help: "Type of the patch; one of [json merge strategic]",
  },
  local: {
    type: "bool",
    help: "Patch what the file contains and print it, instead of the object on the server",
  },
} satisfies FlagSet;

type PatchInvocation = Invocation<typeof flags>;
type PatchType = "json" | "merge" | "strategic";

const contentTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/** `kubectl patch`. */
export const patch = command({
  usage: "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
  flags,
  completes: { of: "resources" },
  completesFlags: { subresource: subresources },
  run,
});

async function run({ flags, args }: PatchInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const chosen = await context.cluster.namespace();
  validate(flags, args, dryRun);
  const type = flags.type.toLowerCase() as PatchType;
  const body = readPatch(flags, context);
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    subresource: flags.subresource,
    local: flags.local,
    args,
    continueOnError: true,
    flatten: true,
  });
  let count = 0;
  await builder.visit(async (info) => {
    count++;
    const before = info.object ?? {};
    const isLocal = flags.local || dryRun === "client";
    const after = isLocal
      ? patchedLocally(before, body, type)
      : await send({ flags, dryRun, type, body }, info, context);
    const operation = deepEqual(before, after) ? "patched (no change)" : "patched";
    const shown = isLocal ? after : await recordPatched({ flags, dryRun }, info, after, context);
    toPrinter(flags, context, { operation, dryRun: "none" }).print(shown, context.out);
  });
  if (count === 0) throw new CommandError("no objects passed to patch");
}

function validate(flags: PatchInvocation["flags"], args: readonly string[], dryRun: DryRun): void {
  const file = flags["patch-file"];
  const rules: (readonly [boolean, string])[] = [
    [flags.patch !== "" && file !== "", "cannot specify --patch and --patch-file together"],
    [
      flags.patch === "" && file === "",
      "must specify --patch or --patch-file containing the contents of the patch",
    ],
    [flags.local && args.length > 0, "cannot specify --local and server resources"],
    [
      flags.local && dryRun === "server",
      "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
    ],
    [
      flags.type !== "" && !Object.hasOwn(contentTypes, flags.type.toLowerCase()),
      `--type must be one of [json merge strategic], not ${goQuote(flags.type)}`,
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}

function readPatch(flags: PatchInvocation["flags"], context: Context): unknown {
  const text = flags["patch-file"] === "" ? flags.patch : readFile(flags["patch-file"], context);
  // JSON is sent to the server unchecked.
  if (/^\s*\{/.test(text) && flags["dry-run"] !== "client" && !flags.local) return text;
  try {
    return asDoubles(readYaml(Buffer.from(text)).value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new CommandError(`unable to parse ${goQuote(flags.patch)}: ${error.message}`, {
      cause: error,
    });
  }
}

function readFile(name: string, context: Context): string {
  try {
    return readFileSync(context.path(name), "utf8");
  } catch (error) {
    throw new CommandError(`unable to read patch file: ${openFailure(name, error)}`, {
      cause: error,
    });
  }
}

interface Sending {
  readonly flags: PatchInvocation["flags"];
  readonly dryRun: DryRun;
  readonly type: PatchType;
  readonly body: unknown;
}

async function send(
  { flags, dryRun, type, body }: Sending,
  info: ResourceInfo,
  context: Context,
): Promise<Unstructured> {
  const client = await context.cluster.client();
  const options = {
    dryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
    subresource: flags.subresource || undefined,
  };
  try {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await client.patch(info.mapping, info.ref(), text, { ...options, type });
  } catch (error) {
    if (!isStatusError(error, "UnsupportedMediaType")) throw error;
    const { group, version, kind } = info.mapping;
    throw new CommandError(
      `${contentTypes[type]} is not supported by ${group}/${version}, Kind=${kind}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** Records the command for --record; a failure to record is ignored. */
async function recordPatched(
  { flags, dryRun }: Pick<Sending, "flags" | "dryRun">,
  info: ResourceInfo,
  object: Unstructured,
  context: Context,
): Promise<Unstructured> {
  const patch = recordPatch(object, flags, context);
  if (!patch) return object;
  const client = await context.cluster.client();
  const options = {
    type: "merge",
    dryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
    subresource: flags.subresource || undefined,
  } as const;
  return client.patch(info.mapping, info.ref(), patch, options).catch(() => object);
}

function patchedLocally(object: Unstructured, body: unknown, type: PatchType): Unstructured {
  if (type === "merge") return applyMergePatch(object, body) as Unstructured;
  if (type === "json")
    return applyJsonPatch(
      object,
      decodeJsonPatch(body, { checked: false }).operations,
    ) as Unstructured;
  const { group, version, kind } = kindOf(object);
  const schema = findSchema(group, version, kind);
  if (!schema) {
    throw new CommandError(
      `strategic merge patch is not supported for ${group}/${version}, Kind=${kind} locally, try --type merge`,
    );
  }
  return applyStrategicMergePatch(schema, object, body) as Unstructured;
}
