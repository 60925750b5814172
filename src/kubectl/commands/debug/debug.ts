/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/debug/debug.go. */

import type { Container, Node, Pod } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { kindOf } from "../../base/unstructured.ts";
import { command } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { attachDebugger } from "./attach-debugger.ts";
import { type DebugInvocation, debugFlags, readOptions, validate } from "./debug-options.ts";
import {
  copyWithDebugger,
  type DebugOptions,
  type DebugPod,
  nodeDebugPod,
  withEphemeralContainer,
} from "./debug-pods.ts";

/** `kubectl debug`. */
export const debug = command({
  usage: "debug (POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
  flags: debugFlags,
  completes: { of: "resources" },
  interruptedCode: 1,
  run,
});

async function run(invocation: DebugInvocation, context: Context): Promise<void> {
  const { flags, changed, args, argsBeforeDash } = invocation;
  const cut = argsBeforeDash !== undefined && args.length > argsBeforeDash;
  const [names, words] = cut
    ? [args.slice(0, argsBeforeDash), args.slice(argsBeforeDash)]
    : [args, []];
  const chosen = await context.cluster.namespace();
  const { namespace } = chosen;
  const options = readOptions(invocation, words, context);
  await context.cluster.selected();
  validate({ flags, changed, names, words, custom: options.custom }, context);
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    ...(names.length > 0 ? { resourceNames: { type: "pods", names } } : {}),
  });
  const attaches = flags.attach || (!changed.has("attach") && flags.stdin);
  await builder.visit(async (info) => {
    const { pod, container } = await debugOne(info, { namespace, flags, options }, context);
    const { stdin, tty, quiet } = flags;
    if (attaches && container !== "") {
      await attachDebugger(context, pod, { container, stdin, tty, quiet });
    }
  });
}

interface Debugging {
  readonly namespace: string;
  readonly flags: DebugInvocation["flags"];
  readonly options: DebugOptions;
}

async function debugOne(
  info: ResourceInfo,
  { namespace, flags, options }: Debugging,
  context: Context,
): Promise<DebugPod> {
  const object = info.object ?? {};
  const { group, version, kind } = kindOf(object);
  const client = await context.cluster.client();
  if (group === "" && kind === "Node") {
    const { metadata } = object as unknown as Node;
    const { pod, container } = nodeDebugPod(metadata?.name ?? "", options);
    return { pod: await client.create(pods, pod, { namespace }), container };
  }
  if (group !== "" || kind !== "Pod") {
    const name = `${group}/${version}, Kind=${kind}`;
    throw new CommandError(`${goQuote(name)} not supported by debug`);
  }
  const original = object as unknown as Pod;
  if (flags["copy-to"] === "") return addEphemeral(original, options, context);
  const { pod, container } = copyWithDebugger(original, options);
  warnOfUser(pod, container, context);
  const created = await client.create(pods, pod, { namespace: pod.metadata?.namespace ?? "" });
  if (flags.replace) {
    const { name = "", namespace: own = "" } = original.metadata ?? {};
    await client.delete(pods, { name, namespace: own }, { gracePeriodSeconds: 0 });
  }
  return { pod: created, container };
}

async function addEphemeral(
  original: Pod,
  options: DebugOptions,
  context: Context,
): Promise<DebugPod> {
  const { pod, container } = withEphemeralContainer(original, options);
  warnOfUser(pod, container, context);
  const { name = "", namespace = "" } = original.metadata ?? {};
  const schema = findSchema("", "v1", "Pod");
  if (!schema) throw new CommandError("Pods are unknown");
  const body = createStrategicMergePatch(schema, {
    original: original as never,
    modified: pod as never,
  });
  const client = await context.cluster.client();
  try {
    const patched = await client.request<Pod>({
      method: "PATCH",
      path: `/api/v1/namespaces/${namespace}/pods/${name}/ephemeralcontainers`,
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: JSON.stringify(body),
    });
    return { pod: patched, container };
  } catch (error) {
    throw isDisabled(error) ? disabledError(error as StatusError) : error;
  }
}

/** A server without ephemeral containers has no such path, so its response has no name. */
function isDisabled(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  const { reason, details } = error.status;
  return reason === "NotFound" && (details?.name ?? "") === "";
}

const disabledError = (error: StatusError): CommandError =>
  new CommandError(
    `ephemeral containers are disabled for this cluster (error from server: ${goQuote(error.message)})`,
    { cause: error },
  );

/** Capabilities are of little use to a user that isn't root. */
function warnOfUser({ spec }: Pod, name: string, { err }: Context): void {
  const all = [...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
  const found = all.findLast((container): container is Container => container.name === name);
  const { runAsUser, privileged, capabilities } = found?.securityContext ?? {};
  const isRoot = !spec?.securityContext?.runAsUser || runAsUser === 0;
  if (isRoot || (!privileged && !capabilities?.add?.length)) return;
  err.write(
    'Warning: Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile may not work. Please consider using "--custom" with a custom profile that specifies "securityContext.runAsUser: 0".\n',
  );
}
