/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/portforward/portforward.go,
 * staging/src/k8s.io/client-go/tools/portforward.
 */
import type { Pod, Service } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { attachablePod } from "../actions/exec-in-pod.ts";
import { CommandError, usageError } from "../base/errors.ts";
import { kindOf, type Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { podTimeoutFlag } from "../command/shared-flags.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { type ForwardedPort, forwardPorts, parsePorts } from "../streams/port-forwarder.ts";

const flags = {
  ...podTimeoutFlag(60_000),
  address: {
    type: "stringSlice",
    default: ["localhost"],
    help:
      "Addresses to listen on, separated by commas: IP addresses or localhost. For " +
      "localhost, both 127.0.0.1 and ::1 are tried; it fails only if neither can be used",
  },
} satisfies FlagSet;

type ForwardInvocation = Invocation<typeof flags>;

/** `kubectl port-forward`. */
export const portForward = command({
  usage:
    "port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
  flags,
  completes: { of: "pod and port" },
  interruptedCode: 0,
  run,
});

async function run({ flags, args }: ForwardInvocation, context: Context): Promise<void> {
  const [resource = "", ...given] = args;
  if (given.length === 0) {
    throw usageError(context, "TYPE/NAME and list of ports are required for port-forward");
  }
  const { namespace } = await context.cluster.namespace();
  if (flags["pod-running-timeout"] <= 0) {
    throw usageError(context, "--pod-running-timeout must be higher than zero");
  }
  const builder = new ResourceBuilder(context, {
    namespace,
    resourceNames: { type: "pods", names: [resource] },
    continueOnError: true,
  });
  const [info] = await builder.infos();
  const object = info?.object ?? {};
  const pod = await attachablePod(context, object, flags["pod-running-timeout"]);
  const ports = portsFor(object, pod, given);
  const { name = "" } = pod.metadata ?? {};
  const client = await context.cluster.client();
  const { status } = await client.get(pods, { name, namespace });
  if (status?.phase !== "Running") {
    throw new CommandError(
      `unable to forward port because pod is not running. Current status=${status?.phase ?? ""}`,
    );
  }
  await forwardPorts(context, { namespace, name, addresses: flags.address, ports });
}

function portsFor(object: Unstructured, pod: Pod, given: readonly string[]): ForwardedPort[] {
  const isService = kindOf(object).kind === "Service";
  const service = object as unknown as Service;
  refuseUdp(
    isService ? servicePorts(service) : containerPorts(pod),
    given,
    isService ? service : pod,
  );
  return parsePorts(
    given.map((text) => (isService ? servicePort(text, service, pod) : podPort(text, pod))),
  );
}

interface Port {
  readonly port: number;
  readonly name: string;
  readonly protocol: string;
}

function servicePorts({ spec }: Service): Port[] {
  return (spec?.ports ?? []).map(({ port, name = "", protocol = "TCP" }) => ({
    port,
    name,
    protocol,
  }));
}

function containerPorts({ spec }: Pod): Port[] {
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return all.flatMap(({ ports = [] }) =>
    ports.map(({ containerPort, name = "", protocol = "TCP" }) => ({
      port: containerPort,
      name,
      protocol,
    })),
  );
}

function split(text: string): { local: string; remote: string } {
  const [local = "", remote, ...rest] = text.split(":");
  return remote !== undefined && rest.length === 0 ? { local, remote } : { local, remote: local };
}

const isNumber = (text: string): boolean => /^[-+]?\d+$/.test(text);

function numberOf(text: string, ports: readonly Port[], owner: Pod | Service): number {
  if (isNumber(text)) return Number(text);
  const found = ports.find(({ name }) => name === text);
  if (found) return found.port;
  const what = owner.kind === "Service" ? "Service" : "Pod";
  throw new CommandError(`${what} '${owner.metadata?.name}' does not have a named port '${text}'`);
}

function refuseUdp(ports: readonly Port[], given: readonly string[], owner: Pod | Service): void {
  for (const text of given) {
    const { remote } = split(text);
    const port = numberOf(remote, ports, owner);
    const protocols = ports.filter((each) => each.port === port).map(({ protocol }) => protocol);
    if (protocols.includes("UDP") && !protocols.includes("TCP")) {
      throw new CommandError(`UDP protocol is not supported for ${remote}`);
    }
  }
}

function podPort(text: string, pod: Pod): string {
  const { local, remote } = split(text);
  if (remote === "") throw new CommandError("remote port cannot be empty");
  const port = numberOf(remote, containerPorts(pod), pod);
  return local === remote ? String(port) : `${local}:${port}`;
}

/** Translates a port of a service to the port of its container. */
function servicePort(text: string, service: Service, pod: Pod): string {
  const { local, remote } = split(text);
  const number = numberOf(remote, servicePorts(service), service);
  const ownLocal = local === remote ? String(number) : local;
  const found = service.spec?.ports?.find(({ port }) => port === number);
  if (!found) {
    throw new CommandError(
      `Service ${service.metadata?.name} does not have a service port ${number}`,
    );
  }
  const target = targetOf(found.targetPort, number, service, pod);
  return ownLocal === String(target) ? String(target) : `${ownLocal}:${target}`;
}

function targetOf(target: unknown, port: number, { spec }: Service, pod: Pod): number {
  if (spec?.clusterIP === "None" || target === undefined || target === 0) return port;
  return typeof target === "number" ? target : numberOf(String(target), containerPorts(pod), pod);
}
