import { CompileError } from "#/machinery/cel/environment.ts";
import { kubernetesEnvironment } from "#/machinery/cel/kubernetes/kubernetes-environment.ts";
import type { TypeProvider } from "#/machinery/cel/model/type-provider.ts";
import type { Program } from "#/machinery/cel/program.ts";
import {
  anyType,
  boolType,
  formatType,
  mapOf,
  objectType,
  stringType,
} from "#/machinery/cel/type/cel-type.ts";
import { type FieldError, forbidden, invalid, tooLong } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { lazily } from "#/std/base/lazily.ts";

/**
 * Upstream: staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go,
 * pkg/apis/resource/validation/validation.go.
 */
const maxExpressionBytes = 10 * 1024;
const maxCost = 1_000_000n;
/** Limits of a device's attributes (number and bytes), from which the cost is estimated. */
const entries = { min: 0n, max: 32n };
const text = { min: 0n, max: 64n };

const deviceTypeName = "kubernetes.DRADevice";
const deviceType = objectType(deviceTypeName);
const deviceFields = new Map([
  ["driver", stringType],
  ["allowMultipleAllocations", boolType],
  ["attributes", mapOf(stringType, mapOf(stringType, anyType))],
  ["capacity", mapOf(stringType, mapOf(stringType, objectType("kubernetes.Quantity")))],
]);
const deviceTypes: TypeProvider = {
  findType: (name) => (name === deviceTypeName ? deviceType : undefined),
  findField: (name, field) => (name === deviceTypeName ? deviceFields.get(field) : undefined),
};
const environment = lazily(() =>
  kubernetesEnvironment({
    variables: { device: deviceType },
    types: deviceTypes,
  }),
);

/** Validation errors of an expression that selects devices. */
export function validateDeviceExpression(path: FieldPath, expression: string): FieldError[] {
  if (isLongerThan(expression, maxExpressionBytes)) return [tooLong(path, maxExpressionBytes)];
  let program: Program;
  try {
    program = environment().compile(expression);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return [invalid(path, expression, `compilation failed: ${error.message}`)];
  }
  const { outputType } = program;
  if (outputType !== boolType && outputType !== anyType) {
    const detail = `must evaluate to bool or the unknown type, not ${formatType(outputType)}`;
    return [invalid(path, expression, detail)];
  }
  const { max } = program.estimateCost(({ type }) =>
    type.kind === "map"
      ? entries
      : type.kind === "string" || type.kind === "any"
        ? text
        : undefined,
  );
  return max > maxCost ? [forbidden(path, "too complex, exceeds cost limit")] : [];
}
