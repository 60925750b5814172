/** Upstream: pkg/kubelet/prober/prober.go, pkg/probe. */
import { connect } from "node:net";
import type { Container, GRPCAction, Pod, Probe } from "#/api/core/v1.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Clock } from "#/std/time/clock.ts";
import { dialFailure } from "#/std/tls/dial-failure.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import { expandWords } from "../environment/expand-variables.ts";
import { containerPort } from "./container-port.ts";
import { checkGrpcHealth } from "./grpc-health.ts";
import { httpGet, httpGetRequest } from "./http-get.ts";

/** How a probe ended. An error is no result: it is recorded as an Event and counts as no probe. */
export interface ProbeOutcome {
  readonly result: "success" | "warning" | "failure";
  readonly output: string;
}

export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  /** The runtime's id of the container. */
  readonly containerId: string;
  readonly podIP: string;
}

/** Limit of a command's output (bytes): the rest is dropped. */
const maxOutputBytes = 10 << 10;

/** Runs probes of all four kinds. */
export class ProbeRunner {
  readonly #runtime: Pick<RuntimeService, "ExecSync">;
  readonly #clock: Clock;

  constructor(runtime: Pick<RuntimeService, "ExecSync">, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** Throws if the probe could not be run at all. */
  async run(probe: Probe, target: ProbeTarget): Promise<ProbeOutcome> {
    const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
    const { pod, container, podIP } = target;
    if (probe.exec) return this.#exec(probe.exec.command ?? [], target, timeoutMs);
    if (probe.httpGet) {
      const request = httpGetRequest(probe.httpGet, container, podIP);
      return outcomeOfHttp(httpGet(request, timeoutMs, this.#clock));
    }
    if (probe.tcpSocket) {
      const port = containerPort(probe.tcpSocket.port, container);
      return this.#tcp(probe.tcpSocket.host || podIP, port, timeoutMs);
    }
    if (probe.grpc) return this.#grpc(probe.grpc, podIP, timeoutMs);
    const { name, namespace, uid } = pod.metadata;
    throw new Error(`missing probe handler for ${name}_${namespace}(${uid}):${container.name}`);
  }

  async #exec(
    command: readonly string[],
    { container, containerId }: ProbeTarget,
    timeoutMs: number,
  ): Promise<ProbeOutcome> {
    const fixed = (container.env ?? []).map(({ name, value = "" }) => ({ name, value }));
    const cmd = expandWords(command, fixed);
    try {
      const timeout = timeoutMs / 1000;
      const request = { containerId, cmd, timeout };
      const { exitCode, stdout, stderr } = await this.#runtime.ExecSync(request);
      const all = Buffer.concat([stdout, stderr]).subarray(0, maxOutputBytes);
      return { result: exitCode === 0 ? "success" : "failure", output: all.toString() };
    } catch (error) {
      if (!(error instanceof GrpcError) || error.code !== "DEADLINE_EXCEEDED") throw error;
      const words = goQuote(cmd.join(" "));
      const output = `command timed out: ${words} timed out after ${formatDuration(timeoutMs)}`;
      return { result: "failure", output };
    }
  }

  #tcp(host: string, port: number, timeoutMs: number): Promise<ProbeOutcome> {
    const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
    return new Promise((resolve) => {
      const socket = connect({ host, port });
      const timer = this.#clock.setTimer(timeoutMs, () => end(`dial tcp ${address}: i/o timeout`));
      const end = (failure: string | undefined) => {
        timer.cancel();
        socket.destroy();
        resolve(
          failure === undefined
            ? { result: "success", output: "" }
            : { result: "failure", output: failure },
        );
      };
      socket.on("connect", () => end(undefined));
      socket.on("error", (error) => end(dialFailure(error, address)));
    });
  }

  async #grpc({ port, service = "", mode }: GRPCAction, host: string, timeoutMs: number) {
    const failure = await checkGrpcHealth({ host, port, service, timeoutMs, tls: mode === "TLS" });
    return failure === undefined
      ? ({ result: "success", output: "service healthy" } as const)
      : ({ result: "failure", output: failure } as const);
  }
}

async function outcomeOfHttp(response: ReturnType<typeof httpGet>): Promise<ProbeOutcome> {
  try {
    const { status, body } = await response;
    if (status >= 200 && status < 300) return { result: "success", output: body };
    if (status >= 300 && status < 400) {
      const output = `Probe terminated redirects, Response body: ${body}`;
      return { result: "warning", output };
    }
    return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
  } catch (error) {
    return { result: "failure", output: (error as Error).message };
  }
}
