import { table } from "#/std/base/table.ts";
import type { Facts, Layer, Step } from "./step.ts";

type Describe = (facts: Facts, step: Step) => string;

/** One line about a step: what it was about, in words. Pure. */
export function describeStep(step: Step): string {
  const { facts = {}, layer, name, reason, message, attempt } = step;
  const what = (byName[`${layer}/${name}`] ?? byLayer[layer])?.(facts, step) ?? "";
  const tried = attempt === undefined ? "" : `attempt ${attempt}`;
  const failure = step.outcome === "ok" ? "" : [reason, message].filter((text) => text).join(": ");
  return [what, tried, failure].filter((text) => text !== "").join("; ");
}

const text = (facts: Facts, name: string): string => {
  const value = facts[name];
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

const words = (...parts: readonly string[]): string => parts.filter((part) => part).join(" ");

const program = (agent: string): string => agent.split(" ", 1)[0] ?? "";

/** The plugins that changed something. */
function changes(facts: Facts): string {
  const { plugins } = facts;
  if (!Array.isArray(plugins)) return "";
  return plugins
    .filter(({ changed }) => Array.isArray(changed))
    .map(({ name, changed }) => `${name} changed ${(changed as string[]).join(" ")}`)
    .join(", ");
}

const object = (value: unknown): string => {
  const { resource = "", name = "" } = (value ?? {}) as { resource?: string; name?: string };
  return name === "" ? "" : `${resource}/${name}`;
};

const counts = (value: unknown): string =>
  Object.entries((value ?? {}) as Record<string, unknown>)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

const bytes = (value: unknown): string => {
  const size = Number(value);
  if (!Number.isFinite(size)) return "";
  return size < 10_240 ? `${size} B` : `${Math.round(size / 1024)} KiB`;
};

const byName: Readonly<Record<string, Describe>> = table({
  "client/request": (facts) =>
    words(text(facts, "verb"), "by", text(facts, "command") || program(text(facts, "userAgent"))),
  "authentication/authenticate": (facts) =>
    words(text(facts, "user"), facts["authenticator"] ? `(${text(facts, "authenticator")})` : ""),
  "authorization/authorize": (facts) => text(facts, "reason"),
  "authorization/queue": (facts) => words("waited at level", text(facts, "priorityLevel")),
  "admission/mutate": changes,
  "admission/validate": changes,
  "store/commit": (facts, { revision = "" }) =>
    words(
      text(facts, "verb"),
      text(facts, "subresource"),
      revision && `revision ${revision}`,
      facts["user"] ? `by ${text(facts, "user")}` : "",
      bytes(facts["bytes"]),
    ),
  "controllers/wake": (facts) => words(text(facts, "controller"), "woken by", object(facts["by"])),
  "scheduling/queue": (facts) =>
    words(text(facts, "queue"), facts["hint"] ? `until ${text(facts, "hint")}` : ""),
  "scheduling/attempt": (facts) => {
    const refused = counts(facts["refusals"]);
    const fit =
      facts["nodes"] === undefined
        ? ""
        : `${text(facts, "feasible")} of ${text(facts, "nodes")} nodes fit`;
    return [fit, refused && `refused by ${refused}`].filter((part) => part !== "").join(", ");
  },
  "scheduling/bind": (facts) => words("to", text(facts, "node")),
  "node/pull image": (facts) =>
    words(
      text(facts, "image"),
      facts["cached"] === true ? "(was there)" : bytes(facts["bytes"]),
      facts["container"] ? `for ${text(facts, "container")}` : "",
    ),
  "node/exit": (facts) =>
    words(
      text(facts, "container"),
      `exit code ${text(facts, "exitCode")}`,
      facts["signal"] ? `signal ${text(facts, "signal")}` : "",
      facts["oomKilled"] === true ? "(out of memory)" : "",
    ),
  "node/back-off": (facts) => words(text(facts, "container"), "until", text(facts, "until")),
  "service/endpoint slice": (facts) => words(text(facts, "service"), "in", text(facts, "slice")),
  "service/proxy rules": (facts) => words(text(facts, "service"), "on", text(facts, "node")),
});

const byLayer: Readonly<Partial<Record<Layer, Describe>>> = {
  controllers: (facts) =>
    words(text(facts, "controller"), object(facts["parent"]) && `for ${object(facts["parent"])}`),
  node: (facts) => words(text(facts, "container"), text(facts, "ip")),
  readiness: (facts) =>
    words(text(facts, "container"), text(facts, "probe"), text(facts, "result")),
};
