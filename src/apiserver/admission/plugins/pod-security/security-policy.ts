import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isStricter, type Level, type Standard } from "./standard.ts";

/** The standards of a namespace: enforced, for audit annotations, and for warnings. */
export interface SecurityPolicy {
  readonly enforce: Standard;
  readonly audit: Standard;
  readonly warn: Standard;
}

export type Mode = keyof SecurityPolicy;

type Labels = Readonly<Record<string, string>>;

/** Prefix of the labels, and of audit annotations. */
export const prefix = "pod-security.kubernetes.io/";

const levels = ["privileged", "baseline", "restricted"];
const versionPattern = /^v1\.(0|[1-9][0-9]*)$/;

/** The level of that name, or undefined. */
export const findLevel = (text: string): Level | undefined =>
  levels.includes(text) ? (text as Level) : undefined;

/** The minor version in a string, Infinity for "latest", or undefined. */
export function findMinor(text: string): number | undefined {
  if (text === "latest") return Infinity;
  const [, minor] = versionPattern.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

export const levelProblem = `must be one of ${levels.join(", ")}`;
export const versionProblem = 'must be "latest" or "v1.x"';

/**
 * The policy of a namespace's labels: defaults for absent ones; for invalid ones strict if enforced, else
 * lenient. Upstream: staging/src/k8s.io/pod-security-admission/api/helpers.go.
 */
export function policyFromLabels(
  labels: Labels,
  defaults: SecurityPolicy,
): { readonly policy: SecurityPolicy; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: Mode, fallback: Level): Standard => {
    const level = labels[prefix + mode];
    const version = labels[`${prefix}${mode}-version`];
    const known = level === undefined ? undefined : findLevel(level);
    const minor = version === undefined ? undefined : findMinor(version);
    if (level !== undefined && known === undefined) refuse(mode, level, levelProblem);
    if (version !== undefined && minor === undefined) {
      refuse(`${mode}-version`, version, versionProblem);
    }
    return {
      level: level === undefined ? defaults[mode].level : (known ?? fallback),
      minor: version === undefined ? defaults[mode].minor : (minor ?? Infinity),
    };
  };
  function refuse(label: string, value: string, detail: string): void {
    errors.push(invalid(fieldPath("metadata", "labels").key(prefix + label), value, detail));
  }
  const enforce = read("enforce", "restricted");
  const audit = read("audit", "privileged");
  const warn = read("warn", "privileged");
  return { policy: { enforce, audit, warn: raiseWarning(warn) }, errors };

  /** Warnings default to the enforced level, for pod templates. */
  function raiseWarning(given: Standard): Standard {
    if (labels[`${prefix}warn`] !== undefined) return given;
    if (findLevel(labels[`${prefix}enforce`] ?? "") === undefined) return given;
    if (!isStricter(enforce.level, given.level)) return given;
    const versioned = labels[`${prefix}warn-version`] !== undefined;
    return { level: enforce.level, minor: versioned ? given.minor : enforce.minor };
  }
}

/** Whether pods have no restrictions. */
export const isPrivileged = ({ enforce, audit, warn }: SecurityPolicy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === "privileged");

/** Whether two policies are equivalent. */
export const isEquivalent = (a: SecurityPolicy, b: SecurityPolicy): boolean =>
  (["enforce", "audit", "warn"] as const).every(
    (mode) =>
      a[mode].level === b[mode].level &&
      (a[mode].level === "privileged" || a[mode].minor === b[mode].minor),
  );
