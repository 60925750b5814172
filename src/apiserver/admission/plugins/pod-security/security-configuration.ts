import {
  duplicate,
  type FieldError,
  formatFieldErrors,
  invalid,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, isDNS1123Subdomain, type Problems } from "#/machinery/meta/names.ts";
import {
  findLevel,
  findMinor,
  levelProblem,
  type Mode,
  type SecurityPolicy,
  versionProblem,
} from "./security-policy.ts";

/** The plugin's configuration. Upstream: staging/src/k8s.io/pod-security-admission/admission/api. */
export interface SecurityConfiguration {
  readonly defaults: SecurityPolicy;
  readonly exemptions: {
    readonly namespaces: ReadonlySet<string>;
    readonly usernames: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

interface File {
  readonly defaults?: Readonly<Record<string, string>>;
  readonly exemptions?: Readonly<Record<string, readonly string[]>>;
}

const usernameRule = (name: string): Problems =>
  name === "" ? ["username must not be empty"] : [];

/** Reads a PodSecurityConfiguration; throws with all errors. */
export function readSecurityConfiguration(given: unknown): SecurityConfiguration {
  const { defaults = {}, exemptions = {} } = (given ?? {}) as File;
  const errors: FieldError[] = [];
  const standard = (mode: Mode) => {
    const level = defaults[mode] || "privileged";
    const version = defaults[`${mode}-version`] || "latest";
    const path = fieldPath("defaults", mode);
    if (findLevel(level) === undefined) errors.push(invalid(path, level, levelProblem));
    if (findMinor(version) === undefined) {
      errors.push(invalid(fieldPath("defaults", `${mode}-version`), version, versionProblem));
    }
    return { level: findLevel(level) ?? "restricted", minor: findMinor(version) ?? Infinity };
  };
  const enforce = standard("enforce");
  const warn = standard("warn");
  const audit = standard("audit");
  const names = (field: string, rule: (name: string) => Problems): ReadonlySet<string> => {
    const known = new Set<string>();
    (exemptions[field] ?? []).forEach((name, index) => {
      const path = fieldPath("exemptions", field).index(index);
      const problems = rule(name);
      if (problems.length > 0) errors.push(invalid(path, name, problems.join(", ")));
      else if (known.has(name)) errors.push(duplicate(path, name));
      else known.add(name);
    });
    return known;
  };
  const configuration = {
    defaults: { enforce, audit, warn },
    exemptions: {
      namespaces: names("namespaces", isDNS1123Label),
      runtimeClasses: names("runtimeClasses", isDNS1123Subdomain),
      usernames: names("usernames", usernameRule),
    },
  };
  if (errors.length > 0) throw new Error(formatFieldErrors(errors));
  return configuration;
}
