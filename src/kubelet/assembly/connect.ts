import { Client } from "#/client/client.ts";
import { clientMetrics } from "#/client/client-metrics.ts";
import type { Connect } from "#/client/connect.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import { StepRecorder } from "#/client/journey/recorder.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { tracingOf } from "#/component/parse-tracing-configuration.ts";
import { type OpenSteps, openSteps } from "#/component/traced-steps.ts";
import { logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type BootstrapOptions, bootstrapKubeconfig } from "../certificates/client-certificate.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { NoTransport } from "./no-transport.ts";

const log = logger("kubelet");
const agent = { userAgent: userAgent("kubelet") };

/** Opens the connection to the API server: in this process, by kubeconfig, or to none. */
export async function openApiTransport(
  connect: Connect | undefined,
  bootstrap: BootstrapOptions,
  signal: AbortSignal,
): Promise<Transport> {
  const { kubeconfig, nodeName } = bootstrap;
  if (connect) {
    const groups = ["system:nodes", "system:authenticated"];
    return connect({ name: `system:node:${nodeName}`, groups });
  }
  await bootstrapKubeconfig(bootstrap, signal);
  return kubeconfig === "" ? new NoTransport() : openTransport({ kubeconfig }, agent);
}

interface ClientOptions {
  readonly transport: Transport;
  readonly config: KubeletConfiguration;
  readonly metrics: Registry;
  readonly nodeName: string;
  readonly clock: Clock;
}

export interface Clients {
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  /** Where it is reported what happens to Pods. */
  readonly steps: OpenSteps;
}

/** Events have a rate limit of their own, so that many of them don't delay other requests. */
export function openClients(options: ClientOptions, signal: AbortSignal): Clients {
  const { transport, config, metrics, nodeName, clock } = options;
  const { kubeAPIQPS, kubeAPIBurst, eventRecordQPS, eventBurst } = config;
  const common = { ...agent, metrics: clientMetrics(metrics) };
  const client = new Client(transport, { ...common, qps: kubeAPIQPS, burst: kubeAPIBurst });
  const forEvents = new Client(transport, { ...common, qps: eventRecordQPS, burst: eventBurst });
  const tracing = config.tracing && tracingOf(config.tracing);
  const source = { component: "kubelet", instance: nodeName, clock, signal };
  return {
    client,
    informers: new Informers(client, signal, { clock }),
    recorder: recorder(forEvents, source),
    steps: openSteps(new StepRecorder(new Client(transport, common), clock), tracing, {
      ...{ service: "kubelet", log, clock },
    }),
  };
}
