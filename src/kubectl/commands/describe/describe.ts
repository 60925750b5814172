/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/describe/describe.go. */
import { isNotFound } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, Errors, messageOf } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import {
  allNamespacesFlag,
  chunkSizeFlag,
  filenameFlags,
  selectorFlag,
} from "../../command/shared-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { describeObject } from "./describers.ts";

const flags = {
  ...filenameFlags,
  ...selectorFlag,
  ...allNamespacesFlag(),
  ...chunkSizeFlag,
  "show-events": {
    type: "bool",
    default: true,
    help:
      "Show events about the object. The default is true for a single object, false for " +
      "several and for those that are found by the beginning of their names",
  },
} satisfies FlagSet;

type DescribeInvocation = Invocation<typeof flags>;

/** `kubectl describe`. */
export const describe = command({
  usage: "describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
  flags,
  completes: { of: "resources" },
  run,
});

async function run({ flags, changed, args }: DescribeInvocation, context: Context): Promise<void> {
  if (args.length === 0 && flags.filename.length === 0 && flags.kustomize === "") {
    throw new CommandError(
      'You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.',
    );
  }
  const { namespace, explicit } = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, { namespace, explicit: explicit && !flags["all-namespaces"] }),
    allNamespaces: flags["all-namespaces"],
    selector: flags.selector,
    args,
    allowEmptySelector: true,
    chunkSize: flags["chunk-size"],
    continueOnError: true,
    flatten: true,
  });
  await builder.check();
  const { infos, error } = await builder.tryInfos();
  const isAlone = error === undefined && infos.length < 2;
  const showEvents = flags["show-events"] && (isAlone || changed.has("show-events"));
  if (error !== undefined && isNotFound(error) && args.length === 2) {
    return describeMatching({ namespace, showEvents, args }, error, context);
  }
  const errors: unknown[] = error === undefined ? [] : [error];
  const seen = new Set<string>();
  let isFirst = true;
  for (const info of infos) {
    try {
      const text = await describeInfo(info, showEvents, context);
      context.out.write(isFirst ? text : `\n\n${text}`);
      isFirst = false;
    } catch (failure) {
      if (seen.has(messageOf(failure))) continue;
      seen.add(messageOf(failure));
      errors.push(failure);
    }
  }
  if (infos.length === 0 && errors.length === 0) {
    const place = flags["all-namespaces"] ? "" : ` in ${namespace} namespace.`;
    context.err.write(`No resources found${place}\n`);
  }
  if (errors.length > 0) throw new Errors(errors);
}

async function describeInfo(
  info: ResourceInfo,
  showEvents: boolean,
  context: Context,
): Promise<string> {
  const object = await info.get();
  return describeObject({ context, object, mapping: info.mapping, showEvents });
}

interface Matching {
  readonly namespace: string;
  readonly showEvents: boolean;
  readonly args: readonly string[];
}

/** All objects whose names have the given prefix. */
async function describeMatching(
  { namespace, showEvents, args }: Matching,
  failure: unknown,
  context: Context,
): Promise<void> {
  const [type = "", prefix = ""] = args;
  const builder = new ResourceBuilder(context, {
    namespace,
    args: [type],
    allowEmptySelector: true,
    singleResourceType: true,
    flatten: true,
  });
  const found = (await builder.infos()).filter(({ name }) => name.startsWith(prefix));
  for (const info of found) context.out.write(`${await describeInfo(info, showEvents, context)}\n`);
  if (found.length === 0) throw failure;
}
