/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/logs/logs.go,
 * staging/src/k8s.io/kubectl/pkg/polymorphichelpers/logsforobject.go.
 */

import type { Pod } from "#/api/core/v1.ts";
import { responseError } from "#/client/transport/response-error.ts";
import { isNotFound, StatusError } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf, usageError } from "../base/errors.ts";
import { readAll } from "../base/host.ts";
import { isList, type Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { podTimeoutFlag, selectorFlag } from "../command/shared-flags.ts";
import {
  containerNames,
  defaultContainerAnnotation,
  findContainer,
  hasSeveralContainers,
  noSuchContainer,
} from "../pods/containers.ts";
import { byLogging, podsOf } from "../pods/pods-of-object.ts";
import { ResourceBuilder } from "../resource/builder.ts";

const usage = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]";

const flags = {
  ...selectorFlag,
  "all-pods": { type: "bool", help: "Print the logs of all Pods of the object. Implies --prefix" },
  "all-containers": { type: "bool", help: "Print the logs of all containers of the Pods" },
  follow: { type: "bool", shorthand: "f", help: "Go on as more is logged" },
  timestamps: { type: "bool", help: "Print the time of each line before it" },
  "limit-bytes": { type: "int", help: "Largest number of bytes of logs to print; 0 for no limit" },
  previous: {
    type: "bool",
    shorthand: "p",
    help: "Print the log of the previous instance of the container, if there is one",
  },
  tail: {
    type: "int",
    default: -1,
    help:
      "Number of lines from the end of the log. The default is -1, all lines; with a " +
      "selector it is 10",
  },
  "ignore-errors": { type: "bool", help: "With --follow: go on after errors" },
  "since-time": {
    type: "string",
    help:
      "Only what was logged after this time (RFC3339); default all. Cannot be used together " +
      "with --since",
  },
  since: {
    type: "duration",
    help:
      "Only what was logged in this time, such as 5s, 2m or 3h; default all. Cannot be used " +
      "together with --since-time",
  },
  container: { type: "string", shorthand: "c", help: "Container whose log is printed" },
  "insecure-skip-tls-verify-backend": {
    type: "bool",
    help:
      "Do not verify the identity of the kubelet that provides the log, which allows an " +
      "attacker to send a forged one. Meant for kubelets whose serving certificates have " +
      "expired",
  },
  ...podTimeoutFlag(20_000),
  "max-log-requests": {
    type: "int",
    default: 5,
    help: "With a selector: largest number of logs to follow at once. The default is 5",
  },
  prefix: { type: "bool", help: "Print the names of Pod and container before each line" },
} satisfies FlagSet;

type LogsInvocation = Invocation<typeof flags>;

/** `kubectl logs`. */
export const logs = command({
  usage,
  flags,
  completes: { of: "pod and container" },
  interruptedCode: 1,
  run,
});

/** Default number of lines for each Pod of a selector. */
const selectorTail = 10;
const retryMs = 1000;

interface LogRequest {
  readonly pod: Pod;
  readonly container: string;
}

async function run({ flags, changed, args }: LogsInvocation, context: Context): Promise<void> {
  const [resource = "", inline] = args;
  if (args.length > 2 || (args.length === 0 && flags.selector === "")) {
    throw usageError(
      context,
      `expected '${usage}'.\nPOD or TYPE/NAME is a required argument for the logs command`,
    );
  }
  if (args.length === 1 && flags.selector !== "") {
    throw usageError(context, "only a selector (-l) or a POD name is allowed");
  }
  if (flags["pod-running-timeout"] <= 0) {
    throw new CommandError("--pod-running-timeout must be higher than zero");
  }
  const container = inline ?? flags.container;
  const query = logQuery(flags, changed.has("tail"));
  const object = await findObject(resource, flags.selector, context);
  validate({ flags, changed, args }, container, query);
  const requests = await logRequests({ flags, container }, object, context);
  await printLogs(flags, query, requests, context);
}

async function findObject(
  resource: string,
  selector: string,
  context: Context,
): Promise<Unstructured> {
  const { namespace } = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    namespace,
    singleResourceType: true,
    ...(resource === "" ? {} : { resourceNames: { type: "pods", names: [resource] } }),
    ...(selector === "" ? {} : { types: ["pods"], selector }),
  });
  try {
    const [info] = await builder.infos();
    if (info?.object === undefined) throw new CommandError("expected a resource");
    if (isList(info.object) && info.object.items.length === 0) {
      context.err.write(`No resources found in ${namespace} namespace.\n`);
    }
    return info.object;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new CommandError(
      `error from server (NotFound): ${messageOf(error)} in namespace ${goQuote(namespace)}`,
      { cause: error },
    );
  }
}

type LogQuery = Record<string, string | number | boolean | undefined>;

function logQuery(flags: LogsInvocation["flags"], tailIsGiven: boolean): LogQuery {
  const { tail, selector, since } = flags;
  const sinceTime = flags["since-time"];
  if (sinceTime !== "" && Number.isNaN(Date.parse(sinceTime))) {
    throw new CommandError(
      `parsing time ${goQuote(sinceTime)} as "2006-01-02T15:04:05Z07:00": cannot parse ${goQuote(sinceTime)} as "2006"`,
    );
  }
  return {
    follow: flags.follow || undefined,
    previous: flags.previous || undefined,
    timestamps: flags.timestamps || undefined,
    insecureSkipTLSVerifyBackend: flags["insecure-skip-tls-verify-backend"] || undefined,
    sinceTime: sinceTime === "" ? undefined : sinceTime,
    limitBytes: flags["limit-bytes"] || undefined,
    sinceSeconds: since === 0 ? undefined : Math.round(since / 1000),
    tailLines:
      selector !== "" && tail === -1 && !tailIsGiven
        ? selectorTail
        : tail === -1
          ? undefined
          : tail,
  };
}

function validate(
  { flags, changed, args }: LogsInvocation | Pick<LogsInvocation, "flags" | "changed" | "args">,
  container: string,
  query: LogQuery,
): void {
  if (flags["since-time"] !== "" && flags.since !== 0) {
    throw new CommandError("at most one of `sinceTime` or `sinceSeconds` may be specified");
  }
  if (flags["all-containers"] && container !== "") {
    throw new CommandError(
      `--all-containers=true should not be specified with container name ${container}`,
    );
  }
  if (changed.has("container") && args.length === 2) {
    throw new CommandError("only one of -c or an inline [CONTAINER] arg is allowed");
  }
  if (flags["limit-bytes"] < 0) throw new CommandError("--limit-bytes must be greater than 0");
  if (Number(query["sinceSeconds"] ?? 0) < 0)
    throw new CommandError("--since must be greater than 0");
  if (Number(query["tailLines"] ?? 0) < -1) {
    throw new CommandError("--tail must be greater than or equal to -1");
  }
}

interface Wanted {
  readonly flags: LogsInvocation["flags"];
  readonly container: string;
}

/** The containers whose logs are printed. */
async function logRequests(
  wanted: Wanted,
  object: Unstructured,
  context: Context,
): Promise<LogRequest[]> {
  const allPods = wanted.flags["all-pods"];
  if (isList(object)) {
    return object.items.flatMap((item) => podRequests(wanted, item as unknown as Pod, context));
  }
  const found = await podsOf(context, object, {
    purpose: "cannot get the logs from",
    timeoutMs: wanted.flags["pod-running-timeout"],
    order: byLogging,
  });
  const [first] = found;
  if (first === undefined) return [];
  if (found.length > 1 && !allPods) {
    context.err.write(`Found ${found.length} pods, using pod/${first.metadata?.name}\n`);
  }
  return (allPods ? found : [first]).flatMap((pod) => podRequests(wanted, pod, context));
}

function podRequests({ flags, container }: Wanted, pod: Pod, context: Context): LogRequest[] {
  if (flags["all-containers"]) {
    const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
    return [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => ({
      pod,
      container: name,
    }));
  }
  const name = container || defaultName(pod, flags["all-pods"], context);
  if (!findContainer(pod, name)) throw noSuchContainer(pod, name);
  return [{ pod, container: name }];
}

function defaultName(pod: Pod, allPods: boolean, context: Context): string {
  const annotated = pod.metadata?.annotations?.[defaultContainerAnnotation] ?? "";
  if (annotated !== "") {
    if (findContainer(pod, annotated)) return annotated;
    context.err.write(
      `Default container name ${goQuote(annotated)} not found in pod ${pod.metadata?.name}\n`,
    );
  }
  const name = pod.spec?.containers?.[0]?.name ?? "";
  if (hasSeveralContainers(pod) && !allPods) {
    context.err.write(`Defaulted container ${goQuote(name)} out of: ${containerNames(pod)}\n`);
  }
  return name;
}

async function printLogs(
  flags: LogsInvocation["flags"],
  query: LogQuery,
  requests: readonly LogRequest[],
  context: Context,
): Promise<void> {
  const most = flags["max-log-requests"];
  if (flags.follow && requests.length > 1 && requests.length > most) {
    throw new CommandError(
      `you are attempting to follow ${requests.length} log streams, but maximum allowed concurrency is ${most}, use --max-log-requests to increase the limit`,
    );
  }
  const consume = (request: LogRequest): Promise<void> =>
    consumeLog(flags, query, request, context);
  if (flags.follow && requests.length > 1) await Promise.all(requests.map(consume));
  else for (const request of requests) await consume(request);
}

/** Prints one log; with --follow, an error response doesn't end the command at once. */
async function consumeLog(
  flags: LogsInvocation["flags"],
  query: LogQuery,
  request: LogRequest,
  context: Context,
): Promise<void> {
  const end = context.clock.monotonicMs() + flags["pod-running-timeout"];
  for (;;) {
    try {
      return await streamLog(flags, query, request, context);
    } catch (error) {
      if (context.signal.aborted) return;
      if (flags["ignore-errors"]) {
        context.out.write(`error: ${messageOf(error)}\n`);
        return;
      }
      if (!flags.follow) throw error;
      context.err.write(`${messageOf(error)}\n`);
      if (!(error instanceof StatusError)) throw error;
      if (context.clock.monotonicMs() + retryMs > end)
        throw new CommandError("timed out waiting for the condition");
      await context.clock.sleep(retryMs, context.signal);
    }
  }
}

async function streamLog(
  flags: LogsInvocation["flags"],
  query: LogQuery,
  { pod, container }: LogRequest,
  context: Context,
): Promise<void> {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  const transport = await context.cluster.transport();
  const request = {
    method: "GET",
    path: `/api/v1/namespaces/${namespace}/pods/${name}/log`,
    query: { container, ...query },
    signal: context.signal,
  };
  const { status, headers, chunks } = await transport.stream(request);
  if (status >= 400) {
    const text = (await readAll(chunks)).toString();
    throw responseError(request, { status, headers, body: parsed(text) }) ?? new CommandError(text);
  }
  const prefix =
    flags.prefix || flags["all-pods"] ? Buffer.from(`[pod/${name}/${container}] `) : undefined;
  if (!prefix) {
    for await (const chunk of chunks) context.out.write(chunk);
    return;
  }
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all: Buffer = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let at = all.indexOf(10); at >= 0; at = all.indexOf(10, start)) {
      context.out.write(Buffer.concat([prefix, all.subarray(start, at + 1)]));
      start = at + 1;
    }
    rest = all.subarray(start);
  }
  if (rest.length > 0) context.out.write(Buffer.concat([prefix, rest]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
