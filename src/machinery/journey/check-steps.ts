import { type Layer, layers, type Outcome, outcomes, type Step, type StepObject } from "./step.ts";

/** Limit of the facts of a step (bytes of JSON): a journey has hundreds of steps. */
const maxFactsBytes = 2048;
/** Limit of texts of a step (characters): a message is a sentence. */
const maxText = 1024;
/** Limit of the steps of one report (count): a recorder sends 100. */
const maxSteps = 1000;

/** The steps of a report, as far as they are valid; throws an Error that says what is wrong. */
export function readSteps(body: unknown): readonly Step[] {
  if (!isRecord(body) || !Array.isArray(body["items"])) throw new Error("items: is not a list");
  const { items } = body as { items: readonly unknown[] };
  if (items.length > maxSteps) throw new Error(`items: has more than ${maxSteps} steps`);
  return items.map((item, index) => readStep(item, `items[${index}]`));
}

function readStep(item: unknown, path: string): Step {
  if (!isRecord(item)) throw new Error(`${path}: is not an object`);
  const layer = oneOf<Layer>(item["layer"], layers, `${path}.layer`);
  const outcome = oneOf<Outcome>(item["outcome"], outcomes, `${path}.outcome`);
  const text = (name: string) => optionalText(item[name], `${path}.${name}`);
  const to = item["to"] === undefined ? undefined : timeOf(item["to"], `${path}.to`);
  const { attempt } = item;
  if (attempt !== undefined && !(Number.isSafeInteger(attempt) && Number(attempt) > 0)) {
    throw new Error(`${path}.attempt: is not a positive number`);
  }
  return {
    of: readObject(item["of"], `${path}.of`),
    layer,
    name: requiredText(item["name"], `${path}.name`),
    from: timeOf(item["from"], `${path}.from`),
    ...(to === undefined ? {} : { to }),
    outcome,
    ...(attempt === undefined ? {} : { attempt: Number(attempt) }),
    ...present("reason", text("reason")),
    ...present("message", text("message")),
    ...present("revision", text("revision")),
    ...present("facts", factsOf(item["facts"], `${path}.facts`)),
  };
}

function readObject(value: unknown, path: string): StepObject {
  if (!isRecord(value)) throw new Error(`${path}: is not an object`);
  return {
    resource: requiredText(value["resource"], `${path}.resource`),
    ...present("namespace", optionalText(value["namespace"], `${path}.namespace`)),
    name: requiredText(value["name"], `${path}.name`),
    ...present("uid", optionalText(value["uid"], `${path}.uid`)),
  };
}

function factsOf(value: unknown, path: string): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw new Error(`${path}: is not an object`);
  if (JSON.stringify(value).length > maxFactsBytes) {
    throw new Error(`${path}: is longer than ${maxFactsBytes} bytes`);
  }
  return value;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

function timeOf(value: unknown, path: string): string {
  if (typeof value === "string" && timePattern.test(value)) return value;
  throw new Error(`${path}: is not a time such as 2006-01-02T15:04:05.000000Z`);
}

function requiredText(value: unknown, path: string): string {
  const text = optionalText(value, path);
  if (text === undefined || text === "") throw new Error(`${path}: is missing`);
  return text;
}

/** Longer texts are cut: a runtime's error may have any length. */
function optionalText(value: unknown, path: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new Error(`${path}: is not a string`);
  return value.length > maxText ? `${value.slice(0, maxText - 1)}…` : value;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], path: string): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`${path}: is not one of ${allowed.join(", ")}`);
  return found;
}

function present<K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, V>);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
