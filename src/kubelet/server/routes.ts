/** Upstream: pkg/kubelet/server/server.go. */
import type { IncomingMessage } from "node:http";
import type { Container, Pod } from "#/api/core/v1.ts";
import { ComponentPages } from "#/component/component-pages.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { metricsContentType } from "#/std/metrics/metrics-text.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import type { PodAccess } from "../state/pod-access.ts";
import { parseLogQuery } from "./log-query.ts";
import { loggedContainer } from "./log-status.ts";
import { readLog } from "./read-log.ts";
import { HttpProblem, type Reply } from "./reply.ts";
import { runningPods } from "./running-pods.ts";
import { type StreamTarget, streamUrl } from "./stream-proxy.ts";
import { systemLog } from "./system-log.ts";

interface RoutesOptions {
  readonly pods: PodAccess;
  readonly cri: Cri;
  readonly clock: Clock;
  /** The content of /flagz. */
  readonly flagTexts: Readonly<Record<string, string>>;
  /** The content of /configz. */
  readonly configuration: () => object;
  /** `enableDebuggingHandlers`: without it, no exec, logs and the like. */
  readonly debugging: boolean;
  /** `enableSystemLogHandler`. */
  readonly systemLogs: boolean;
  readonly summary: () => Promise<object>;
  /** Texts of /metrics and the paths below it. */
  readonly metrics: Readonly<Record<string, () => Promise<string>>>;
  /** Why the kubelet isn't healthy; undefined if it is. */
  readonly healthProblem: () => string | undefined;
}

const text = { "content-type": "text/plain; charset=utf-8" };
const json = { "content-type": "application/json" };
const metricsType = { "content-type": metricsContentType };

/** The paths of the kubelet's API. */
export class Routes {
  readonly #options: RoutesOptions;
  readonly #pages: ComponentPages;

  constructor(options: RoutesOptions) {
    this.#options = options;
    this.#pages = new ComponentPages({
      name: "kubelet",
      flagTexts: options.flagTexts,
      paths: ["/configz", "/debug", "/healthz", "/logs", "/metrics", "/pods", "/stats"],
      clock: options.clock,
    });
  }

  /** The signal aborts when the client has gone. */
  async answer(request: IncomingMessage, url: URL, signal: AbortSignal = never): Promise<Reply> {
    const [first = "", ...rest] = segmentsOf(url);
    const debugging = () => {
      if (!this.#options.debugging) throw new HttpProblem(405, "Debug endpoints are disabled.");
    };
    switch (first) {
      case "configz":
        return {
          headers: json,
          body: JSON.stringify({ kubeletconfig: this.#options.configuration() }),
        };
      case "runningpods":
        return { headers: json, body: podList(runningPods(this.#options.pods.allObserved())) };
      case "containerLogs":
        debugging();
        return this.#containerLogs(rest, url.searchParams, signal);
      case "run":
        debugging();
        // A reading permission must not suffice: upstream has no other method here.
        if (request.method !== "POST") throw new HttpProblem(405, "405: Method Not Allowed");
        return this.#run(rest, url.searchParams);
      case "logs":
        if (!this.#options.systemLogs) break;
        return systemLog(rest.join("/"));
      case "exec":
      case "attach":
      case "portForward":
        debugging();
        throw new HttpProblem(400, "Upgrade request required");
      default:
        return this.#pages.answer(url, request) ?? this.readOnly(request, url);
    }
    throw new HttpProblem(404, "404: Page Not Found");
  }

  /** Paths that show nothing secret. */
  async readOnly(request: IncomingMessage, url: URL): Promise<Reply> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new HttpProblem(405, "Method Not Allowed");
    }
    const path = url.pathname.replace(/(.)\/+$/, "$1");
    const metrics = this.#options.metrics[path];
    if (metrics !== undefined) return { headers: metricsType, body: await metrics() };
    if (path === "/pods") return { headers: json, body: podList(this.#options.pods.pods()) };
    if (path === "/stats/summary" || path === "/stats") {
      return { headers: json, body: JSON.stringify(await this.#options.summary()) };
    }
    if (path === "/healthz" || path.startsWith("/healthz/")) return this.health();
    throw new HttpProblem(404, "404: Page Not Found");
  }

  health(): Reply {
    const problem = this.#options.healthProblem();
    if (problem === undefined) return { headers: text, body: "ok" };
    return {
      status: 500,
      headers: text,
      body: `[-]syncloop failed: ${problem}\nhealthz check failed`,
    };
  }

  /** The target of an upgraded connection: the runtime's streaming server. */
  async stream(url: URL): Promise<StreamTarget> {
    const [kind = "", ...rest] = segmentsOf(url);
    if (!this.#options.debugging) throw new HttpProblem(405, "Debug endpoints are disabled.");
    if (kind === "portForward") return this.#portForward(rest, url.searchParams);
    if (kind !== "exec" && kind !== "attach") throw new HttpProblem(404, "404: Page Not Found");
    const { pod, container } = this.#target(rest);
    const options = streamOptions(url.searchParams);
    const containerId = this.#containerId(pod, container);
    const { runtime } = this.#options.cri;
    const cmd = url.searchParams.getAll("command");
    const answer =
      kind === "exec"
        ? runtime.Exec({ containerId, cmd, ...options })
        : runtime.Attach({ containerId, ...options, tty: specOf(pod, container)?.tty ?? false });
    return { url: streamUrl((await orProblem(answer)).url), streams: options };
  }

  #target(rest: readonly string[]): { pod: Pod; container: string } {
    const [namespace = "", name = "", ...last] = rest;
    const container = last.at(-1) ?? "";
    const uid = last.length > 1 ? last[0] : undefined;
    const pod = this.#options.pods.find(namespace, name);
    if (pod === undefined) throw new HttpProblem(404, "pod does not exist");
    if (uid && pod.metadata.uid !== uid) throw new HttpProblem(404, "pod not found");
    return { pod, container };
  }

  #containerId(pod: Pod, name: string): string {
    const observed = this.#options.pods.observed(pod.metadata.uid ?? "");
    const found = observed?.containers.find((one) => one.name === name && one.state === "running");
    if (found !== undefined) return found.id;
    throw new HttpProblem(500, `container not found (${goQuote(name)})`);
  }

  async #portForward(rest: readonly string[], query: URLSearchParams): Promise<StreamTarget> {
    const [namespace = "", name = ""] = rest;
    const pod = this.#options.pods.find(namespace, name);
    if (pod === undefined) throw new HttpProblem(404, "pod does not exist");
    const observed = this.#options.pods.observed(pod.metadata.uid ?? "");
    const sandbox = observed?.sandboxes.find(({ ready }) => ready);
    if (sandbox === undefined) {
      throw new HttpProblem(
        404,
        `failed to find sandboxID for pod ${name}_${namespace}(${pod.metadata.uid})`,
      );
    }
    const port = query
      .getAll("port")
      .flatMap((one) => one.split(","))
      .map(portNumber);
    const { runtime } = this.#options.cri;
    const { url } = await orProblem(runtime.PortForward({ podSandboxId: sandbox.id, port }));
    return { url: streamUrl(url) };
  }

  async #run(rest: readonly string[], query: URLSearchParams): Promise<Reply> {
    const { pod, container } = this.#target(rest);
    const containerId = this.#containerId(pod, container);
    const cmd = (query.get("cmd") ?? "").split(" ");
    const { runtime } = this.#options.cri;
    const { stdout, stderr, exitCode } = await orProblem(runtime.ExecSync({ containerId, cmd }));
    const output = Buffer.concat([stdout, stderr]);
    if (exitCode !== 0) {
      throw new HttpProblem(500, `command '${cmd.join(" ")}' exited with ${exitCode}: ${output}`);
    }
    return { headers: json, body: output };
  }

  async #containerLogs(
    rest: readonly string[],
    search: URLSearchParams,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { clock, pods } = this.#options;
    const [namespace = "", podName = "", name = ""] = rest;
    const query = parseLogQuery(search, clock.now());
    const pod = pods.find(namespace, podName);
    if (pod === undefined) throw new HttpProblem(404, `pod ${goQuote(podName)} does not exist`);
    if (specOf(pod, name) === undefined) {
      const message = `container ${goQuote(name)} not found in pod ${goQuote(podName)}`;
      throw new HttpProblem(404, message);
    }
    const subject = { pod: podName, container: name, previous: query.previous };
    const id = orBadRequest(() => loggedContainer(pod.status, subject)).replace(/^.*:\/\//, "");
    const path = await this.#logPath(id);
    const isRunning = async () =>
      pods
        .observed(pod.metadata.uid ?? "")
        ?.containers.some((one) => one.id === id && one.state === "running") ?? false;
    const body = readLog(path, { ...query, clock, signal, isRunning });
    return { headers: text, body };
  }

  async #logPath(containerId: string): Promise<string> {
    const { runtime } = this.#options.cri;
    try {
      const { status } = await runtime.ContainerStatus({ containerId });
      if (status?.logPath) return status.logPath;
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
    }
    throw new HttpProblem(400, `unable to retrieve container logs for containerd://${containerId}`);
  }
}

const never = new AbortController().signal;

/** The decoded segments of a path. */
function segmentsOf({ pathname }: URL): string[] {
  try {
    return pathname.slice(1).split("/").map(decodeURIComponent);
  } catch {
    throw new HttpProblem(400, "400: Bad Request");
  }
}

const maxPort = 65_535;

function portNumber(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= maxPort) return port;
  throw new HttpProblem(400, `unable to parse ${goQuote(text)} as a port`);
}

function streamOptions(query: URLSearchParams) {
  const flag = (name: string) => query.get(name) === "1" || query.get(name) === "true";
  const tty = flag("tty");
  const options = {
    stdin: flag("input") || flag("stdin"),
    stdout: flag("output") || flag("stdout"),
    stderr: !tty && (flag("error") || flag("stderr")),
    tty,
  };
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw new HttpProblem(400, "you must specify at least 1 of stdin, stdout, stderr");
  }
  return options;
}

function specOf({ spec }: Pod, name: string): Pick<Container, "tty"> | undefined {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  return [...containers, ...initContainers, ...ephemeralContainers].find(
    (one) => one.name === name,
  );
}

function podList(items: readonly Pod[]): string {
  const pods = items.map((pod) => {
    const { kind, apiVersion, ...rest } = pod;
    return rest;
  });
  return JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items: pods });
}

function orBadRequest<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw new HttpProblem(400, (error as Error).message);
  }
}

/** Failures of the runtime, in the form of the streaming library. */
async function orProblem<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    const statuses: Partial<Record<GrpcError["code"], number>> = {
      NOT_FOUND: 404,
      RESOURCE_EXHAUSTED: 429,
    };
    throw new HttpProblem(statuses[error.code] ?? 500, error.details);
  }
}
