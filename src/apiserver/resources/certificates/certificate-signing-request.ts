import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequests,
} from "#/api/certificates/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateSigningRequest, validateSigningRequestUpdate } from "./signing-request-rules.ts";

type Request = Decoded<CertificateSigningRequest>;

/** Upstream: pkg/registry/certificates/certificates/strategy.go. */
export const certificateSigningRequest = serve(certificateSigningRequests, {
  prepareForCreate(object, { user }) {
    const { spec } = object;
    delete spec.uid;
    delete spec.groups;
    delete spec.extra;
    spec.username = user?.name ?? "";
    if (user?.uid) spec.uid = user.uid;
    if (user && user.groups.length > 0) spec.groups = [...user.groups];
    if (user?.extra && Object.keys(user.extra).length > 0) {
      spec.extra = deepCopy(user.extra) as Record<string, string[]>;
    }
    object.status = {};
  },
  prepareForUpdate(object, old) {
    keepSpec(object, old);
    keepStatus(object, old);
  },
  validate: (object) => validateSigningRequest(object, undefined),
  validateUpdate: (object, old) =>
    validateSigningRequestUpdate(object, old, { approval: false, certificate: false }),
  resetFields: ["spec", "status"],
  status: {
    prepareForUpdate(object, old, context) {
      keepSpec(object, old);
      for (const type of ["Approved", "Denied"]) keepConditions(object, old, type);
      fillTimes(object, old, context);
    },
    validateUpdate: (object, old) =>
      validateSigningRequestUpdate(object, old, { approval: false, certificate: true }),
    resetFields: ["spec", "status.conditions"],
  },
  views: {
    approval: {
      prepareForUpdate(object, old, context) {
        fillTimes(object, old, context);
        const { conditions } = object.status ?? {};
        keepSpec(object, old);
        keepStatus(object, old);
        object.status ??= {};
        delete object.status.conditions;
        if (conditions) object.status.conditions = conditions;
      },
      validateUpdate: (object, old) =>
        validateSigningRequestUpdate(object, old, { approval: true, certificate: false }),
      resetFields: ["spec", "status.certificate"],
    },
  },
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  unknownFieldMessage: (field) => `field label not supported: ${field}`,
  columns: [
    nameColumn,
    ageColumn,
    { name: "SignerName", type: "string", cell: ({ spec }) => spec.signerName || "<none>" },
    { name: "Requestor", type: "string", cell: ({ spec }) => spec.username ?? "" },
    { name: "RequestedDuration", type: "string", cell: requestedDuration },
    { name: "Condition", type: "string", cell: shownCondition },
  ],
});

function requestedDuration({ spec }: Request): string {
  const { expirationSeconds } = spec;
  return expirationSeconds === undefined ? "<none>" : humanDuration(expirationSeconds * 1000);
}

function shownCondition({ status }: Request): string {
  const has = (conditionType: string) =>
    status?.conditions?.some(({ type }) => type === conditionType);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

/** Keeps the conditions of a type, unless their number changes. */
function keepConditions(object: Request, old: Request, conditionType: string): void {
  const before = (old.status?.conditions ?? []).filter(({ type }) => type === conditionType);
  const conditions = object.status?.conditions ?? [];
  const places = conditions.flatMap(({ type }, index) => (type === conditionType ? [index] : []));
  if (places.length !== before.length) return;
  before.forEach((condition, n) => {
    conditions[places[n] ?? 0] = { ...condition };
  });
}

function fillTimes(object: Request, old: Request, { now }: RequestContext): void {
  for (const condition of object.status?.conditions ?? []) {
    condition.lastUpdateTime ??= formatTime(now);
    condition.lastTransitionTime ??= transitionTime(condition, old) ?? formatTime(now);
  }
}

function transitionTime(
  { type, status }: CertificateSigningRequestCondition,
  old: Request,
): string | undefined {
  return old.status?.conditions?.find(
    (condition) =>
      condition.type === type &&
      condition.status === status &&
      condition.lastTransitionTime !== undefined,
  )?.lastTransitionTime;
}
