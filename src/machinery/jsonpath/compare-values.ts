/** Upstream: staging/src/k8s.io/client-go/third_party/forked/golang/template/funcs.go. */
import { JsonPathError } from "./jsonpath-node.ts";

type Kind = "bool" | "int" | "float" | "string";

/**
 * Whether a comparison is true. Values of different kinds are not comparable, nor are lists, maps
 * and null. Throws JsonPathError.
 */
export function compareValues(operator: string, left: unknown, right: unknown): boolean {
  switch (operator) {
    case "==":
      return equals(left, right);
    case "!=":
      return !equals(left, right);
    case "<":
      return isLess(left, right);
    case "<=":
      return isLess(left, right) || equals(left, right);
    case ">":
      return !(isLess(left, right) || equals(left, right));
    case ">=":
      return !isLess(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function equals(left: unknown, right: unknown): boolean {
  sameKind(left, right);
  return plain(left) === plain(right);
}

function isLess(left: unknown, right: unknown): boolean {
  const kind = sameKind(left, right);
  if (kind === "bool") throw new JsonPathError("invalid type for comparison");
  return (plain(left) as string) < (plain(right) as string);
}

function sameKind(left: unknown, right: unknown): Kind {
  const [kind, other] = [kindOf(left), kindOf(right)];
  if (kind !== other) throw new JsonPathError("incompatible types for comparison");
  return kind;
}

/** A Number object is a number that was written with a point. */
const plain = (value: unknown): unknown => (value instanceof Number ? value.valueOf() : value);

function kindOf(value: unknown): Kind {
  if (value instanceof Number) return "float";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value === "bigint") return "int";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  throw new JsonPathError("invalid type for comparison");
}
