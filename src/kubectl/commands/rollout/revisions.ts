/** Upstream: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/history.go. */
import {
  type ControllerRevision,
  controllerRevisions,
  type Deployment,
  type ReplicaSet,
  replicaSets,
} from "#/api/apps/v1.ts";
import type { PodTemplateSpec } from "#/api/core/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { typedForm } from "../../base/typed-form.ts";
import { fieldAt, kindOf, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { Description } from "../describe/parts/description.ts";
import { describeTemplate } from "../describe/parts/pod-parts.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const changeCause = "kubernetes.io/change-cause";

/** A previous or current state of an object. */
export interface Revision {
  readonly number: number;
  readonly cause: string;
  readonly template: PodTemplateSpec | undefined;
  /** The object that `-o` prints. */
  readonly object: Unstructured;
  /** The object that stores it. */
  readonly holder: ReplicaSet | ControllerRevision;
}

/** The revisions of an object, the oldest first; undefined if its kind has no revisions. */
export async function revisionsOf(
  info: ResourceInfo,
  context: Context,
): Promise<Revision[] | undefined> {
  const { group, kind } = info.mapping;
  if (group !== "apps") return undefined;
  const object = dropNulls(info.object ?? {});
  if (kind === "Deployment") return deploymentRevisions(object, context);
  if (kind === "DaemonSet" || kind === "StatefulSet") return controllerHistory(object, context);
  return undefined;
}

async function deploymentRevisions(object: Unstructured, context: Context): Promise<Revision[]> {
  const deployment = object as unknown as Deployment;
  const client = await context.cluster.client();
  const labelSelector = compileLabelSelector(deployment.spec?.selector).toString();
  const all = await client.listAll(replicaSets, {
    namespace: deployment.metadata?.namespace,
    labelSelector,
  });
  const own = all.filter((set) => isControlledBy(set as never, deployment as never));
  const revisions = own.flatMap((set): Revision[] => {
    const text = set.metadata?.annotations?.[revisionAnnotation];
    if (text === undefined || !/^\d+$/.test(text)) return [];
    const cause = set.metadata?.annotations?.[changeCause] ?? "";
    const { template } = set.spec ?? {};
    const annotations =
      cause === ""
        ? template?.metadata?.annotations
        : { ...template?.metadata?.annotations, [changeCause]: cause };
    return [
      {
        number: Number(text),
        cause,
        template: template && {
          ...template,
          metadata: { ...template.metadata, ...(annotations ? { annotations } : {}) },
        },
        object: { apiVersion: "apps/v1", kind: "ReplicaSet", ...set } as unknown as Unstructured,
        holder: set,
      },
    ];
  });
  return revisions.sort((a, b) => a.number - b.number);
}

async function controllerHistory(object: Unstructured, context: Context): Promise<Revision[]> {
  const client = await context.cluster.client();
  const labelSelector = compileLabelSelector(
    fieldAt(object, "spec", "selector") as never,
  ).toString();
  const all = await client.listAll(controllerRevisions, {
    namespace: object.metadata?.namespace,
    labelSelector,
  });
  const own = all.filter((revision) => isControlledBy(revision as never, object as never));
  const { group, version, kind } = kindOf(object);
  const schema = findSchema(group, version, kind);
  return own
    .map((holder): Revision => {
      const applied = schema
        ? (applyStrategicMergePatch(
            schema,
            typedForm(object),
            (holder.data ?? {}) as never,
          ) as Unstructured)
        : object;
      return {
        number: holder.revision,
        cause: holder.metadata?.annotations?.[changeCause] ?? "",
        template: fieldAt(applied, "spec", "template") as PodTemplateSpec | undefined,
        object: applied,
        holder,
      };
    })
    .sort((a, b) => a.number - b.number);
}

/** A template as `describe` shows it, but with its tabs. */
export function templateText(template: PodTemplateSpec | undefined, context: Context): string {
  const parts: string[] = [];
  const table = { write: (part: string) => void parts.push(part), flush: () => undefined };
  describeTemplate(new Description(context.clock.now(), { table, indent: "" }), template);
  return parts.join("");
}
