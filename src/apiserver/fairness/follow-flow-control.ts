import {
  type FlowSchema,
  type FlowSchemaCondition,
  flowSchemas,
  type PriorityLevelConfiguration,
  priorityLevelConfigurations,
} from "#/api/flowcontrol/v1.ts";
import { applyPatch } from "#/machinery/apply/apply-patch.ts";
import { metadataOf } from "#/machinery/apply/object-metadata.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Logger } from "#/std/log/log.ts";
import { followStore } from "../registry/follow-store.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../registry/store.ts";
import { systemContext } from "../registry/system-context.ts";
import { viewDeclaration } from "../registry/view.ts";
import { managedKind } from "../verbs/managed-kind.ts";
import type { Fairness } from "./fairness.ts";

/** Applies the stored levels and schemas, and writes each schema's condition on whether its level exists. */
export function followFlowControl(fairness: Fairness, registry: Registry, log: Logger): Disposable {
  const schemas = registry.store(flowSchemas);
  const levels = registry.store(priorityLevelConfigurations);
  const refresh = () => {
    const found = objectsOf<FlowSchema>(schemas);
    const configurations = objectsOf<PriorityLevelConfiguration>(levels);
    fairness.configure(found, configurations);
    const names = new Set(configurations.map(({ metadata }) => metadata.name));
    for (const schema of found) {
      const exists = names.has(schema.spec.priorityLevelConfiguration.name);
      updateSchemaStatus(registry, schemas, schema, exists).catch((error: unknown) =>
        log.error(error, "failed to update FlowSchema status"),
      );
    }
  };
  let pending = false;
  const schedule = () => {
    if (pending) return;
    pending = true;
    queueMicrotask(() => {
      pending = false;
      refresh();
    });
  };
  const subscriptions = [followStore(schemas, schedule), followStore(levels, schedule)];
  refresh();
  return {
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}

const objectsOf = <T>({ cache }: Store): T[] =>
  Array.from(cache.snapshot().items.entries(), ([, stored]) => stored.parsed() as unknown as T);

/** The Dangling condition of a schema. */
function danglingCondition(level: string, exists: boolean): FlowSchemaCondition {
  const about = `This FlowSchema references the PriorityLevelConfiguration object named ${goQuote(level)}`;
  return exists
    ? { type: "Dangling", status: "False", reason: "Found", message: `${about} and it exists` }
    : {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${about} but there is no such object`,
      };
}

async function updateSchemaStatus(
  registry: Registry,
  store: Store,
  { metadata, spec, status }: FlowSchema,
  exists: boolean,
): Promise<void> {
  const wanted = danglingCondition(spec.priorityLevelConfiguration.name, exists);
  const current = status?.conditions?.find(({ type }) => type === "Dangling");
  if (current && current.status === wanted.status && current.message === wanted.message) return;
  const lastTransitionTime = formatTime(registry.clock.now());
  const { status: view } = store.declaration;
  if (!view || view === true) return;
  const accept = () => undefined;
  await store.update(
    {
      name: metadata.name ?? "",
      transform(found) {
        const object = deepCopy(found) as unknown as FlowSchema;
        const others = object.status?.conditions?.filter(({ type }) => type !== "Dangling") ?? [];
        const condition = { ...wanted, lastTransitionTime };
        object.status = { conditions: [...others, condition] };
        if (object.metadata.managedFields) {
          const managers = managersAfter(registry, found as unknown as JsonObject, condition);
          if (managers) object.metadata.managedFields = managers;
        }
        return object as never;
      },
      validateCreate: accept,
      validateUpdate: accept,
      hooks: viewDeclaration(store.declaration, view),
    },
    systemContext(registry, () => false),
  );
}

/** managedFields of a schema after the condition is applied. */
function managersAfter(
  registry: Registry,
  live: JsonObject,
  condition: FlowSchemaCondition,
): FlowSchema["metadata"]["managedFields"] {
  const kind = managedKind(registry.resource(flowSchemas));
  const { apiVersion } = kind;
  const metadata = { name: metadataOf(live)["name"] };
  const { object = live } = applyPatch({
    kind,
    live,
    patch: { apiVersion, kind: kind.kind, metadata, status: { conditions: [condition] } },
    manager: "api-priority-and-fairness-config-consumer-v1",
    force: true,
    subresource: "status",
    now: formatTime(registry.clock.now()),
  });
  return (metadataOf(object) as FlowSchema["metadata"]).managedFields;
}
