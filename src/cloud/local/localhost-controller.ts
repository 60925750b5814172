import { type Service, services } from "#/api/core/v1.ts";
import { keyOf, refKey } from "#/client/object-key.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import { findCondition, withCondition } from "#/machinery/meta/conditions.ts";
import { patchObject } from "../base/patch-object.ts";
import { LocalhostListeners } from "./localhost-listeners.ts";
import { planLocalhostPorts } from "./plan-localhost-ports.ts";

const name = "service-localhost-controller";

/** The condition of a Service with the ports of localhost that lead to it. */
const conditionType = "k8ts.dev/Localhost";
/** Interval (ms) of attempts to get ports that others have. */
const retryMs = 5_000;

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
  { client, clock, recorder }: ControllerContext,
): Promise<void> {
  const conditions = service.status?.conditions ?? [];
  const present = findCondition(conditions, conditionType);
  const others = conditions.filter(({ type }) => type !== conditionType);
  if (open.length === 0 && refused.length === 0) {
    if (present) await writeConditions(service, others, client);
    return;
  }
  const shown = (ports: readonly number[]) => ports.map((port) => `localhost:${port}`).join(", ");
  const isOpen = open.length > 0;
  const wanted = {
    type: conditionType,
    status: isOpen ? ("True" as const) : ("False" as const),
    reason: isOpen ? "Listening" : "PortInUse",
    message: isOpen ? `${shown(open)} for ${keyOf(service)}` : `${shown(refused)} in use`,
  };
  if (present?.status === wanted.status && present.message === wanted.message) return;
  const updated = withCondition(conditions, wanted, clock.now());
  await writeConditions(service, updated, client);
  const text = isOpen
    ? `Listening on ${shown(open)}`
    : `Not listening on ${shown(refused)}: another program or Service does`;
  recorder.event(service, isOpen ? "Normal" : "Warning", wanted.reason, text);
}

type Conditions = NonNullable<NonNullable<Service["status"]>["conditions"]>;

async function writeConditions(
  service: Service,
  conditions: readonly Conditions[number][],
  client: ControllerContext["client"],
): Promise<void> {
  const to = { ...service, status: { ...service.status, conditions: [...conditions] } };
  await patchObject(client, services, { from: service, to }, { subresource: "status" });
}
