/** Upstream: staging/src/k8s.io/component-base/featuregate/feature_gate.go. */

type FeatureStage = "ALPHA" | "BETA" | "GA" | "DEPRECATED";

/** A gate at this version. */
export interface FeatureSpec {
  readonly default: boolean;
  readonly stage: FeatureStage;
  /** Whether its value can no longer be changed. */
  readonly lockToDefault?: boolean;
  /** Gates that must be enabled if this one is. */
  readonly dependsOn?: readonly string[];
}

/** The gates a component knows, by name. */
export type FeatureSpecs<Name extends string = string> = Readonly<Record<Name, FeatureSpec>>;

/** The enabled features. */
interface FeatureGates<Name extends string = string> {
  enabled(name: Name): boolean;
  /** To be logged: settings that will stop working. */
  readonly warnings: readonly string[];
}

/** Settings with which a component can't run. */
class FeatureGateError extends Error {
  override readonly name = "FeatureGateError";
}

/** The gates that set all others of a stage that are not set themselves. */
const groups: Readonly<Record<string, FeatureStage>> = { AllAlpha: "ALPHA", AllBeta: "BETA" };

/** The gates of a component with the settings of `--feature-gates`. Throws FeatureGateError. */
export function resolveFeatureGates<Name extends string>(
  known: FeatureSpecs<Name>,
  settings: Readonly<Record<string, boolean>> = {},
): FeatureGates<Name> {
  const specs = new Map<string, FeatureSpec>(Object.entries(known));
  const errors = Object.entries(settings).flatMap(([name, value]) => refusal(specs, name, value));
  if (errors.length > 0) throw aggregate(errors);
  const enabled = new Map<string, boolean>();
  for (const [name, spec] of specs) enabled.set(name, settings[name] ?? groupValue(spec, settings));
  const unmet = [...specs].flatMap(([name, spec]) => unmetDependencies(name, spec, enabled));
  if (unmet.length > 0) throw aggregate(unmet);
  return {
    enabled: (name) => enabled.get(name) === true,
    warnings: Object.keys(settings).flatMap((name) => warning(name, specs.get(name))),
  };
}

function refusal(specs: ReadonlyMap<string, FeatureSpec>, name: string, value: boolean): string[] {
  if (Object.hasOwn(groups, name)) return [];
  const spec = specs.get(name);
  // Upstream stops at the first unknown one.
  if (!spec) throw new FeatureGateError(`unrecognized feature gate: ${name}`);
  if (!spec.lockToDefault || spec.default === value) return [];
  return [`cannot set feature gate ${name} to ${value}, feature is locked to ${spec.default}`];
}

function groupValue(spec: FeatureSpec, settings: Readonly<Record<string, boolean>>): boolean {
  const group = Object.keys(groups).find((name) => groups[name] === spec.stage);
  return (group === undefined ? undefined : settings[group]) ?? spec.default;
}

function unmetDependencies(
  name: string,
  { dependsOn = [] }: FeatureSpec,
  enabled: ReadonlyMap<string, boolean>,
): string[] {
  const disabled = dependsOn.filter((dependency) => !enabled.get(dependency));
  if (!enabled.get(name) || disabled.length === 0) return [];
  const list = `[${disabled.join(" ")}]`;
  return [`${name} is enabled, but depends on features that are disabled: ${list}`];
}

function warning(name: string, spec: FeatureSpec | undefined): string[] {
  if (spec?.stage !== "GA" && spec?.stage !== "DEPRECATED") return [];
  const stage = spec.stage === "GA" ? "GA" : "deprecated";
  return [
    `Warning: setting ${stage} feature gate. It will be removed in a future release: ${name}`,
  ];
}

function aggregate(errors: readonly string[]): FeatureGateError {
  const [only] = errors;
  return new FeatureGateError(errors.length === 1 ? only : `[${errors.join(", ")}]`);
}
