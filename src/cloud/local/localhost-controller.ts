import { type Service, services } from "#/api/core/v1.ts";
import { keyOf, refKey } from "#/client/object-key.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import { LocalhostListeners } from "./localhost-listeners.ts";
import { planLocalhostPorts } from "./plan-localhost-ports.ts";
import { setServiceCondition } from "./service-condition.ts";

const name = "service-localhost-controller";

/** The condition of a Service with the ports of localhost that lead to it. */
const conditionType = "k8ts.dev/Localhost";
/** Interval (ms) of attempts to get ports that others have: each starts a process in the machine's network. */
const retryMs = 30_000;

/** Listens on localhost for the load balancers of Services, as far as their ports are free. */
export function localhostController(netns: string): Controller {
  return {
    name,
    async run(context) {
      using listeners = new LocalhostListeners(netns);
      await keeper(listeners).run(context);
    },
  };
}

function keeper(listeners: LocalhostListeners): Controller {
  return controller<Service>({
    name,
    for: services,
    workers: 1,
    async reconcile(service, context) {
      const wanted = planLocalhostPorts(service);
      const refused = await listeners.set(keyOf(service), wanted);
      const ports = wanted.map(({ port }) => port);
      const open = ports.filter((port) => !refused.includes(port));
      await setCondition(service, { open, refused }, context);
      return refused.length > 0 ? { afterMs: retryMs } : undefined;
    },
    async gone(ref) {
      await listeners.set(refKey(ref), []);
    },
  });
}

interface Outcome {
  readonly open: readonly number[];
  readonly refused: readonly number[];
}

async function setCondition(
  service: Service,
  { open, refused }: Outcome,
  context: ControllerContext,
): Promise<void> {
  const shown = (ports: readonly number[]) => ports.map((port) => `localhost:${port}`).join(", ");
  const isOpen = open.length > 0;
  const wanted = {
    status: isOpen ? ("True" as const) : ("False" as const),
    reason: isOpen ? "Listening" : "PortInUse",
    message: isOpen ? `${shown(open)} for ${keyOf(service)}` : `${shown(refused)} in use`,
  };
  const hasPorts = isOpen || refused.length > 0;
  const written = [conditionType, hasPorts ? wanted : undefined] as const;
  const isChanged = await setServiceCondition(service, written, context);
  if (!isChanged || !hasPorts) return;
  const text = isOpen
    ? `Listening on ${shown(open)}`
    : `Not listening on ${shown(refused)}: another program or Service does`;
  context.recorder.event(service, isOpen ? "Normal" : "Warning", wanted.reason, text);
}
