import { parseQuantity, type Quantity, QuantityError, quantityOf } from "../../values/quantity.ts";
import type { Library } from "../environment.ts";
import {
  type FunctionDecl,
  type Implementation,
  member,
  type Overload,
  overload,
} from "../model/declaration.ts";
import {
  boolType,
  type CelType,
  doubleType,
  intType,
  objectType,
  stringType,
} from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { fixedCosts, parseCosts } from "./costs/text-costs.ts";

const quantityType = objectType("kubernetes.Quantity");

/** A quantity in an expression. */
export class QuantityValue extends CelObject {
  override readonly type: CelType = quantityType;
  readonly quantity: Quantity;
  /** The result of an operation; upstream cannot compare to it on the right side. */
  readonly computed: boolean;

  constructor(quantity: Quantity, computed = false) {
    super();
    this.quantity = quantity;
    this.computed = computed;
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof QuantityValue) || other.computed) return noSuchOverload;
    return this.quantity.equals(other.quantity);
  }

  override toString(): string {
    return this.quantity.toString();
  }
}

/**
 * Resource quantities.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/quantity.go.
 */
export const quantities: Library = {
  functions: [
    {
      name: "quantity",
      overloads: [overload("string_to_quantity", [stringType], quantityType, toQuantity)],
      ...parseCosts(),
    },
    {
      name: "isQuantity",
      overloads: [
        overload("is_quantity_string", [stringType], boolType, (text) => {
          return !(toQuantity(text) instanceof CelFault);
        }),
      ],
      ...parseCosts(),
    },
    cheap(
      "sign",
      overload(
        "quantity_sign",
        [quantityType],
        intType,
        unary((q) => BigInt(q.sign)),
      ),
    ),
    cheap(
      "isGreaterThan",
      comparison("quantity_is_greater_than", boolType, (order) => order > 0),
    ),
    cheap(
      "isLessThan",
      comparison("quantity_is_less_than", boolType, (order) => order < 0),
    ),
    cheap(
      "compareTo",
      comparison("quantity_compare_to", intType, (order) => BigInt(order)),
    ),
    cheap("asApproximateFloat", accessor("quantity_get_float", doubleType, approximate)),
    cheap(
      "asInteger",
      accessor("quantity_get_int", intType, (q) => {
        return q.asInt64() ?? new CelFault("cannot convert value to integer");
      }),
    ),
    cheap(
      "isInteger",
      accessor("quantity_is_integer", boolType, (q) => q.asInt64() !== undefined),
    ),
    cheap("add", ...arithmetic("add", (a, b) => a.add(b))),
    cheap("sub", ...arithmetic("sub", (a, b) => a.sub(b))),
  ],
};

function cheap(name: string, ...overloads: readonly Overload[]): FunctionDecl {
  return { name, overloads, ...fixedCosts(1) };
}

function toQuantity(text?: CelValue): CelResult {
  if (typeof text !== "string") return noSuchOverload;
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelFault(error.message);
    throw error;
  }
}

/** As upstream, rounds twice, so the result is not always the nearest number. */
function approximate({ mantissa, scale }: Quantity): number {
  return scale === 0 ? Number(mantissa) : Number(mantissa) * Number(`1e${scale}`);
}

function unary(get: (quantity: Quantity) => CelResult): Implementation {
  return (value) => (value instanceof QuantityValue ? get(value.quantity) : noSuchOverload);
}

function accessor(id: string, type: CelType, get: (quantity: Quantity) => CelResult): Overload {
  return member(id, [quantityType], type, unary(get));
}

function comparison(id: string, type: CelType, result: (order: number) => CelValue): Overload {
  return member(id, [quantityType, quantityType], type, (a, b) => {
    if (!(a instanceof QuantityValue) || !(b instanceof QuantityValue)) return noSuchOverload;
    return result(a.quantity.compare(b.quantity));
  });
}

function arithmetic(name: string, apply: (a: Quantity, b: Quantity) => Quantity): Overload[] {
  const call: Implementation = (a, b) => {
    if (!(a instanceof QuantityValue)) return noSuchOverload;
    if (b instanceof QuantityValue) return new QuantityValue(apply(a.quantity, b.quantity), true);
    if (typeof b !== "bigint") return noSuchOverload;
    return new QuantityValue(apply(a.quantity, quantityOf(b, "DecimalExponent")), true);
  };
  return [
    member(`quantity_${name}`, [quantityType, quantityType], quantityType, call),
    member(`quantity_${name}_int`, [quantityType, intType], quantityType, call),
  ];
}
