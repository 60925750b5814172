/** Upstream: staging/src/k8s.io/apiserver/pkg/apis/audit/v1/types.go, and the keys of annotations where they are set. */
import {
  type Facts,
  type Layer,
  type Outcome,
  resourceText,
  type Step,
  type StepObject,
} from "#/machinery/journey/step.ts";
import { formatMicroTime, parseMicroTime } from "#/machinery/time/time.ts";

/** An event of an audit log, as far as it is read: of the objects in it only names. */
interface AuditEvent {
  readonly stage?: string;
  readonly verb?: string;
  readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username?: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
  };
  readonly responseObject?: {
    readonly metadata?: {
      readonly name?: string;
      readonly uid?: string;
      readonly resourceVersion?: string;
    };
  };
  readonly requestReceivedTimestamp?: string;
  readonly stageTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);

/** Layers of the writes of components, by the user that writes. */
const writers: readonly (readonly [pattern: RegExp, layer: Layer])[] = [
  [/^system:kube-scheduler$/, "scheduling"],
  [/^system:node:/, "node"],
  [/^system:serviceaccount:kube-system:endpoint(?:slice)?-controller$/, "service"],
  [/^system:(?:kube-controller-manager|serviceaccount:kube-system:.*-controller)$/, "controllers"],
];

/** The steps of an object that an audit log contains. `log` is its text: a JSON object in each line. Pure. */
export function stepsFromAudit(log: Buffer, of: StepObject): Step[] {
  return eventsOf(log, of).flatMap((event) => stepsOfEvent(event, of));
}

/** The finished writes of an object. */
function eventsOf(log: Buffer, of: StepObject): AuditEvent[] {
  const events: AuditEvent[] = [];
  for (let start = 0; start < log.length; ) {
    const newline = log.indexOf(10, start);
    const end = newline < 0 ? log.length : newline;
    const line = log.subarray(start, end);
    start = end + 1;
    // Most lines are about other objects, and are not parsed.
    if (!line.includes(of.name)) continue;
    const event = parseEvent(line);
    if (event && isAbout(event, of)) events.push(event);
  }
  return events;
}

/** Undefined for what is no event: a log may end within a line. */
function parseEvent(line: Buffer): AuditEvent | undefined {
  try {
    return JSON.parse(line.toString("utf8")) as AuditEvent;
  } catch {
    return undefined;
  }
}

function isAbout(event: AuditEvent, of: StepObject): boolean {
  const { stage, verb = "", objectRef = {}, responseObject } = event;
  const { resource = "", apiGroup = "", namespace = "" } = objectRef;
  if (stage !== "ResponseComplete" || !writeVerbs.has(verb)) return false;
  if (resourceText({ group: apiGroup, name: resource }) !== of.resource) return false;
  if (namespace !== (of.namespace ?? "")) return false;
  // A generated name is in the response only.
  const name = objectRef.name || responseObject?.metadata?.name;
  const uid = objectRef.uid || (objectRef.subresource ? "" : responseObject?.metadata?.uid);
  return name === of.name && (!uid || of.uid === undefined || uid === of.uid);
}

type Make = (layer: Layer, name: string, facts: Facts, rest?: Partial<Step>) => Step;

function stepsOfEvent(event: AuditEvent, of: StepObject): Step[] {
  const { requestReceivedTimestamp, stageTimestamp, verb, objectRef } = event;
  if (!requestReceivedTimestamp || !stageTimestamp) return [];
  const from = formatMicroTime(parseMicroTime(requestReceivedTimestamp));
  const to = formatMicroTime(parseMicroTime(stageTimestamp));
  const make: Make = (layer, name, facts, rest = {}) => ({
    ...{ of, layer, name, from, to, outcome: "ok", by: "audit log" },
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...rest,
  });
  const isWhole = verb === "create" && !objectRef?.subresource;
  if (!isWhole) return [writeStep(event, make)];
  return [...arrivalSteps(event, make, from), ...admissionSteps(event, make), endStep(event, make)];
}

function arrivalSteps(event: AuditEvent, make: Make, from: string): Step[] {
  const { verb, userAgent, user = {}, impersonatedUser, annotations = {} } = event;
  const { username, groups } = user;
  const impersonator = impersonatedUser && username;
  const shown = impersonatedUser?.username ?? username;
  // An audit log has no times of these: they are moments.
  const moment = { to: from };
  const reason = annotations["authorization.k8s.io/reason"];
  return [
    make("client", "request", given({ verb, userAgent })),
    make("authentication", "authenticate", given({ user: shown, groups, impersonator }), moment),
    make("authorization", "authorize", given({ reason }), moment),
  ];
}

/** What mutating webhooks did, and which gates let the object pass although they failed. */
function admissionSteps({ annotations = {} }: AuditEvent, make: Make): Step[] {
  return Object.entries(annotations).flatMap(([key, value]) => {
    if (/^mutation\.webhook\.admission\.k8s\.io\/round_/.test(key)) {
      const { webhook, mutated } = parseAnnotation(value);
      const changed = changedPaths(annotations[key.replace("mutation.", "patch.")]);
      const facts = given({ mutated, changed });
      return webhook ? [make("admission", `webhook ${webhook}`, facts)] : [];
    }
    if (/^failed-open\.\w+\.webhook\.admission\.k8s\.io\/round_/.test(key)) {
      const outcome: Outcome = "failed";
      const message = "failed, and was ignored (failurePolicy Ignore)";
      return [make("admission", `webhook ${value}`, {}, { outcome, message })];
    }
    return [];
  });
}

interface WebhookAnnotation {
  readonly webhook?: string;
  readonly mutated?: boolean;
  readonly patch?: readonly { readonly path?: string }[];
}

function parseAnnotation(text: string): WebhookAnnotation {
  try {
    return JSON.parse(text) as WebhookAnnotation;
  } catch {
    return {};
  }
}

/** The paths of a patch, without its values. */
function changedPaths(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  return parseAnnotation(text).patch?.flatMap(({ path }) => path ?? []);
}

/** How the request ended: in the store, or in the layer that refused it. */
function endStep(event: AuditEvent, make: Make): Step {
  const { responseStatus = {}, responseObject, annotations = {} } = event;
  const { code = 0, reason = "", message = "" } = responseStatus;
  const revision = responseObject?.metadata?.resourceVersion;
  if (code < 400) return make("store", "commit", {}, revision ? { revision } : {});
  const outcome: Outcome = "failed";
  const said = {
    outcome,
    ...given({ reason: reason || undefined, message: message || undefined }),
  };
  if (code === 401) return make("authentication", "authenticate", { code }, said);
  if (code !== 403) return make("store", "check", { code }, said);
  return annotations["authorization.k8s.io/decision"] === "forbid"
    ? make("authorization", "authorize", { code }, said)
    : make("admission", "validate", { code }, said);
}

/** A later write, in the layer of the component that made it. */
function writeStep(event: AuditEvent, make: Make): Step {
  const { verb = "", objectRef, user, responseStatus = {} } = event;
  const { username = "" } = user ?? {};
  const { subresource } = objectRef ?? {};
  const layer = writers.find(([pattern]) => pattern.test(username))?.[1] ?? "store";
  const { code = 0, reason, message } = responseStatus;
  const name = layer === "store" ? "commit" : [verb, subresource].filter(Boolean).join(" ");
  const facts = given({ verb, subresource, user: username });
  if (code < 400) return make(layer, name, facts);
  return make(layer, name, facts, { outcome: "failed", ...given({ reason, message }) });
}

const given = (facts: Readonly<Record<string, unknown>>): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
