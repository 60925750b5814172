import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseQuantity, QuantityError } from "#/machinery/values/quantity.ts";
import { quantity } from "./cases/quantity.ts";
import { loadRecordings } from "./recordings.ts";

interface Body {
  readonly kind?: string;
  readonly message?: string;
  readonly capacity?: unknown;
  readonly spec?: {
    readonly hard?: Readonly<Record<string, unknown>>;
    readonly resources?: { readonly requests: Readonly<Record<string, unknown>> };
  };
}

/** The quantity in an object of one of the kinds that the cases use. */
const quantityIn = ({ capacity, spec }: Body): unknown =>
  capacity ?? spec?.hard?.["requests.memory"] ?? spec?.resources?.requests["storage"];

/** The quantity in the answer: in the object, in the message about a refused value, or why it cannot be parsed. */
function spelled({ message, ...body }: Body): unknown {
  if (message === undefined) return quantityIn(body);
  return (
    /Invalid value: "([^"]*)"/.exec(message)?.[1] ??
    message.split(/ cannot be handled as an? \w+: /)[1]
  );
}

/**
 * Parses a quantity as the JSON decoder does: blanks around it are ignored and a number is its text; in resource
 * lists it is rounded up to thousandths.
 */
function canonical(value: unknown, inResourceList: boolean): string | undefined {
  if (value === null || value === undefined) return undefined;
  try {
    const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
    const quantity = parseQuantity(text);
    return (inResourceList ? quantity.roundUp(-3) : quantity).toString();
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
}

describe("Quantity as kube-apiserver", () => {
  for (const { name, steps } of loadRecordings(quantity)) {
    test(name, () => {
      const [step] = steps;
      assert.ok(step);
      const sent = step.sent as Body;
      const actual = canonical(quantityIn(sent), sent.kind !== "CSIStorageCapacity");
      assert.equal(actual, spelled(step.answer.body as Body));
    });
  }
});
