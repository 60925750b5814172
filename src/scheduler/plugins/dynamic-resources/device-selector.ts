import type { Device, DeviceAttribute, DeviceSelector } from "#/api/resource/v1.ts";
import { kubernetesEnvironment } from "#/machinery/cel/kubernetes/kubernetes-environment.ts";
import { QuantityValue } from "#/machinery/cel/library/quantities.ts";
import type { Program } from "#/machinery/cel/program.ts";
import { dynType } from "#/machinery/cel/type/cel-type.ts";
import { CelFault } from "#/machinery/cel/value/cel-fault.ts";
import { toCelValue } from "#/machinery/cel/value/json-value.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { lazily } from "#/std/base/lazily.ts";
import { memoByKey } from "#/std/memory/memo.ts";

/** Limit of compiled expressions (count): clusters have few different selectors. */
const maxPrograms = 1_000;

const environment = lazily(() => kubernetesEnvironment({ variables: { device: dynType } }));

/**
 * Whether a device of a driver meets all selectors. Throws if an expression can't be evaluated.
 *
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go.
 */
export function matchesSelectors(
  device: Device,
  driver: string,
  selectors: readonly DeviceSelector[] | undefined,
): boolean {
  if (selectors === undefined || selectors.length === 0) return true;
  const value = toCelValue(deviceVariable(device, driver));
  return selectors.every(({ cel }) => {
    if (cel === undefined) return true;
    const result = programOf(cel.expression).evaluate({ device: value }).value;
    if (result instanceof CelFault) throw new Error(`CEL runtime error: ${result.message}`);
    return result === true;
  });
}

/** A name with its domain, by default the driver's. */
function qualify(name: string, driver: string): { readonly domain: string; readonly id: string } {
  const slash = name.indexOf("/");
  return slash < 0
    ? { domain: driver, id: name }
    : { domain: name.slice(0, slash), id: name.slice(slash + 1) };
}

/** The value of an attribute, by its qualified name, in a comparable form. */
export function attributeText(device: Device, driver: string, name: string): string | undefined {
  const wanted = qualify(name, driver);
  for (const [key, attribute] of Object.entries(device.attributes ?? {})) {
    const { domain, id } = qualify(key, driver);
    if (domain === wanted.domain && id === wanted.id) return JSON.stringify(attribute);
  }
  return undefined;
}

const programOf = memoByKey(
  (expression: string): Program => environment().compile(expression),
  maxPrograms,
);

function deviceVariable(device: Device, driver: string): object {
  const { attributes = {}, capacity = {}, allowMultipleAllocations = false } = device;
  const group = <T>(record: Readonly<Record<string, T>>, read: (value: T) => unknown) => {
    const domains: Record<string, Record<string, unknown>> = { [driver]: {} };
    for (const [name, value] of Object.entries(record)) {
      const { domain, id } = qualify(name, driver);
      domains[domain] = { ...domains[domain], [id]: read(value) };
    }
    return domains;
  };
  return {
    driver,
    allowMultipleAllocations,
    attributes: group(attributes, attributeValue),
    capacity: group(capacity, ({ value }) => new QuantityValue(parseQuantity(value))),
  };
}

/** Versions are strings parsed by the expression language itself. */
function attributeValue({ int, bool, string, version }: DeviceAttribute): unknown {
  if (int !== undefined) return BigInt(int);
  if (version === undefined) return bool ?? string;
  return environment()
    .compile(`semver(${JSON.stringify(version)})`)
    .evaluate({}).value;
}
