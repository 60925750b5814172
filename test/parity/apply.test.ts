import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { ApplyError, type ApplyResult, applyPatch } from "#/machinery/apply/apply-patch.ts";
import { keepTimes } from "#/machinery/apply/keep-times.ts";
import { managedFieldsAfterScale, managedFieldsOfScale } from "#/machinery/apply/scale.ts";
import { updateManagedFields } from "#/machinery/apply/update-managed-fields.ts";
import { applyJsonPatch } from "#/machinery/patch/json-patch.ts";
import { applyMergePatch } from "#/machinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { Area } from "./case.ts";
import { applyBuiltin } from "./cases/apply-builtin.ts";
import { applyWidget } from "./cases/apply-widget.ts";
import { expectObject } from "./expect-object.ts";
import { loadRecordings, type RecordedStep, stepQuery } from "./recordings.ts";
import { parseTarget, resetFieldsOf, type Target } from "./replay-kinds.ts";

interface Stored extends JsonObject {
  readonly metadata: {
    readonly managedFields?: readonly { readonly time?: string }[];
    readonly [key: string]: unknown;
  };
}

/** The latest time in an object's managedFields. */
const latestTime = (object: Stored | undefined): string =>
  (object?.metadata.managedFields ?? [])
    .map(({ time }) => time ?? "")
    .sort()
    .at(-1) ?? "";

/** A time that no recording has: it shows where a time was set by mistake. */
const wrongTime = "2030-01-01T00:00:00Z";

/** Replays the steps of a case on the machinery, each on the object that the server had stored before it. */
class Replay {
  #live: Stored | undefined;
  #waited = false;

  step(step: RecordedStep): void {
    if (step.waitSeconds !== undefined) this.#waited = true;
    const { status } = step.answer;
    const target = parseTarget(step.path);
    const body = step.answer.body as Stored;
    if (step.method === "GET") return;
    if (step.method === "DELETE") this.#live = undefined;
    else if (target.subresource === "scale") this.#scale(step, target);
    else if (step.headers?.["content-type"] === "application/apply-patch+yaml")
      this.#apply(step, target);
    else this.#update(step, target);
    const isStored = status < 300 && stepQuery(step).get("dryRun") === null;
    if (isStored && step.method !== "DELETE" && target.subresource !== "scale") this.#live = body;
  }

  /** The server's time, as far as its answer shows it. */
  #now(answered: Stored): string {
    const latest = latestTime(answered);
    if (latest > latestTime(this.#live)) this.#waited = false;
    if (this.#waited) return wrongTime;
    return latest === "" ? "2000-01-01T00:00:00Z" : latest;
  }

  #liveIn({ kind }: Target): Stored | undefined {
    return this.#live && ({ ...this.#live, apiVersion: kind.apiVersion } as Stored);
  }

  #apply(step: RecordedStep, target: Target): void {
    const { status, body } = step.answer as { status: number; body: Stored };
    const query = stepQuery(step);
    const patch =
      typeof step.sent === "string" ? parse(step.sent, { uniqueKeys: false }) : step.sent;
    const live = this.#liveIn(target);
    const result = attempt(() =>
      applyPatch({
        kind: target.kind,
        live,
        patch,
        manager: query.get("fieldManager") ?? "",
        force: query.get("force") === "true",
        subresource: target.subresource,
        resetFields: resetFieldsOf(target),
        now: this.#now(body),
      }),
    );
    checkApply(result, status, body, live, target);
  }

  #update(step: RecordedStep, target: Target): void {
    const body = step.answer.body as Stored;
    if (step.answer.status >= 300) return;
    const live = this.#liveIn(target);
    const sent = sentObject(step, live);
    const object = updateManagedFields({
      kind: target.kind,
      live,
      next: beforeAdmission(body, sent, live, target),
      manager: stepQuery(step).get("fieldManager") ?? "parity",
      subresource: target.subresource,
      resetFields: resetFieldsOf(target),
      now: this.#now(body),
    });
    expectManagedFields(live ? keepTimes(live, object) : object, body);
  }

  #scale(step: RecordedStep, target: Target): void {
    const { status, body } = step.answer as { status: number; body: JsonObject };
    const live = this.#live;
    assert.ok(live);
    const query = stepQuery(step);
    const { apiVersion } = target.kind;
    const replicasPaths = new Map([[apiVersion, ["spec", "replicas"]]]);
    const mapping = { apiVersion, replicasPaths };
    const scale = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: {
        name: live.metadata["name"],
        uid: "u",
        managedFields: managedFieldsOfScale(live.metadata.managedFields, mapping),
      },
      spec: { replicas: (live["spec"] as JsonObject)["replicas"] },
      status: { replicas: 0 },
    };
    const schema = findSchema("autoscaling", "v1", "Scale");
    assert.ok(schema);
    const request = {
      kind: { apiVersion: "autoscaling/v1", kind: "Scale", schema },
      live: scale,
      manager: query.get("fieldManager") ?? "",
      subresource: "scale",
      now: "2000-01-01T00:00:00Z",
    };
    const isApply = step.headers?.["content-type"] === "application/apply-patch+yaml";
    const next = { ...scale, spec: (step.sent as JsonObject)["spec"] };
    const result = isApply
      ? attempt(() =>
          applyPatch({
            ...request,
            patch: step.sent as JsonObject,
            force: query.get("force") === "true",
          }),
        )
      : { object: updateManagedFields({ ...request, next }), isChanged: true };
    if (result instanceof ApplyError || result.conflict) {
      checkApply(result, status, body as Stored, undefined, target);
      return;
    }
    const entries = (result.object as Stored).metadata.managedFields;
    const managedFields = managedFieldsAfterScale(live.metadata.managedFields, entries, mapping);
    const spec = {
      ...(live["spec"] as JsonObject),
      replicas: (body["spec"] as JsonObject)["replicas"],
    };
    this.#live = { ...live, spec, metadata: { ...live.metadata, managedFields } } as Stored;
  }
}

function attempt(apply: () => ApplyResult): ApplyResult | ApplyError {
  try {
    return apply();
  } catch (error) {
    if (error instanceof ApplyError) return error;
    throw error;
  }
}

function checkApply(
  result: ApplyResult | ApplyError,
  status: number,
  body: Stored,
  live: Stored | undefined,
  target: Target,
): void {
  if (result instanceof ApplyError) {
    assert.deepEqual([result.code, result.message], [status, body["message"]]);
  } else if (result.conflict) {
    const causes = result.conflict.causes.toSorted((a, b) =>
      (a.message ?? "").localeCompare(b.message ?? "", "en"),
    );
    const details = { causes };
    assert.deepEqual(
      [409, result.conflict.message, details],
      [status, body["message"], body["details"]],
    );
  } else if (status < 300) {
    const object = live ? keepTimes(live, result.object) : result.object;
    expectManagedFields(object, body);
    expectObject(afterStrategy(object, body, target), body, target.kind.schema);
  } else {
    // Applied, and then refused by validation, or because of the object's name or version.
    assert.doesNotMatch(String(body["message"]), /^Apply failed|failed to create typed/);
  }
}

/** The object after the strategy: a write to the resource keeps the status, a write to the status keeps the rest. */
function afterStrategy(object: JsonObject, body: Stored, { subresource }: Target): JsonObject {
  return subresource === ""
    ? { ...object, status: body["status"] }
    : { ...body, status: object["status"] };
}

function expectManagedFields(actual: JsonObject, body: Stored): void {
  const entries = (object: unknown): unknown => (object as Stored).metadata.managedFields ?? [];
  assert.deepEqual(entries(actual), entries(body));
  // Custom resources are written with sorted keys, others unchanged.
  if (body["kind"] !== "Widget") {
    assert.equal(JSON.stringify(entries(actual)), JSON.stringify(entries(body)));
  }
}

/** The object of the request, for its managedFields and to detect fields that the server set. */
function sentObject(step: RecordedStep, live: Stored | undefined): Stored {
  const type = step.headers?.["content-type"];
  if (type === undefined || !live) return step.sent as Stored;
  if (type === "application/json-patch+json") {
    return applyJsonPatch(live, step.sent as JsonObject[]) as Stored;
  }
  if (type === "application/merge-patch+json") return applyMergePatch(live, step.sent) as Stored;
  const { kind } = parseTarget(step.path);
  return applyStrategicMergePatch(kind.schema, live, step.sent) as Stored;
}

/** Fields that the server sets on creation, after it recorded the field managers. */
const setLater: Readonly<Record<string, readonly string[]>> = {
  pods: ["tolerations", "priority", "preemptionPolicy"],
  services: ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
};

function beforeAdmission(
  body: Stored,
  sent: Stored,
  live: Stored | undefined,
  { resource, kind }: Target,
): JsonObject {
  const { managedFields: _, ...metadata } = body.metadata;
  // The decoding of a custom resource drops empty managedFields.
  const stated = sent.metadata?.managedFields;
  const kept = stated && !(kind.kind === "Widget" && stated.length === 0);
  const object = { ...body, metadata: kept ? { ...metadata, managedFields: stated } : metadata };
  const later = live ? [] : (setLater[resource] ?? []);
  const spec = { ...((body["spec"] ?? {}) as Record<string, unknown>) };
  const asked = (sent["spec"] ?? {}) as JsonObject;
  for (const field of later) if (!Object.hasOwn(asked, field)) delete spec[field];
  return later.length > 0 ? { ...object, spec } : object;
}

function replay(area: Area, skipped: RegExp): void {
  describe(`${area.name} as kube-apiserver`, () => {
    for (const { name, steps } of loadRecordings(area)) {
      if (skipped.test(name)) continue;
      test(name, () => {
        const run = new Replay();
        for (const step of steps) run.step(step);
      });
    }
  });
}

// Requests that the server refuses before it applies, or that need conversions of built-in kinds.
replay(applyWidget, /^(no manager|empty manager|yaml body)$/);
replay(
  applyBuiltin,
  /^(autoscaler .*|configmap long manager|configmap manager with odd letters|configmap duplicate key strict)$/,
);
