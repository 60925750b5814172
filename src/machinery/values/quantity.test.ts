import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  isQuantity,
  milliQuantity,
  parseQuantity,
  Quantity,
  QuantityError,
  type QuantityFormat,
  quantityOf,
  zeroQuantity,
} from "./quantity.ts";
import recorded from "./recorded/quantity.json" with { type: "json" };

const seed = 20370;

/** Upstream's result for a text: its canonical form, or the error. */
interface RecordedQuantity {
  text: string;
  error?: string;
  canonical?: string;
  format?: string;
  int64?: string;
  value?: string;
  milli?: string;
}

test("parseQuantity() agrees with upstream on every recorded text", () => {
  for (const {
    text,
    error,
    canonical,
    format,
    int64,
    value,
    milli,
  } of recorded.quantities as RecordedQuantity[]) {
    if (error !== undefined) {
      assert.throws(() => parseQuantity(text), new QuantityError(error), text);
      continue;
    }
    const quantity = parseQuantity(text);
    assert.deepEqual(
      {
        canonical: quantity.toString(),
        format: quantity.format,
        int64: quantity.asInt64()?.toString(),
      },
      { canonical, format, int64 },
      text,
    );
    if (quantity.sign < 0 && int64 === undefined) continue; // Upstream rounds some of these towards zero.
    assert.equal(quantity.scaledValue(0).toString(), value, text);
    assert.equal(quantity.scaledValue(-3).toString(), milli, text);
  }
});

test("Quantity arithmetic agrees with upstream on every recorded pair", () => {
  for (const { a, b, add, sub, neg, mul3, cmp } of recorded.operations) {
    const [x, y] = [parseQuantity(a), parseQuantity(b)];
    assert.deepEqual(
      [x.add(y), x.sub(y), x.neg(), x.mul(3)].map(String),
      [add, sub, neg, mul3],
      `${a}, ${b}`,
    );
    assert.equal(x.compare(y), cmp, `${a} <=> ${b}`);
  }
});

test("Quantity has constructors for units and thousandths", () => {
  assert.equal(quantityOf(1536 * 1024 ** 2, "BinarySI").toString(), "1536Mi");
  assert.equal(quantityOf(1000).toString(), "1k");
  assert.equal(milliQuantity(1500).toString(), "1500m");
  assert.equal(JSON.stringify({ cpu: milliQuantity(250) }), '{"cpu":"250m"}');
  assert.equal(zeroQuantity.toString(), "0");
});

test("Quantity converts to numbers", () => {
  assert.equal(parseQuantity("1500m").value(), 2);
  assert.equal(parseQuantity("1500m").milliValue(), 1500);
  assert.equal(parseQuantity("100Ki").value(), 102400);
  assert.equal(parseQuantity("1500m").toNumber(), 1.5);
  assert.equal(parseQuantity("1234u").roundUp(-3).toString(), "2m");
  assert.equal(parseQuantity("-1234u").roundUp(-3).toString(), "-2m");
});

test("parseQuantity() rejects hostile texts quickly", () => {
  for (const text of ["1e4097", "1e-4097", "1e99999999999999999999", "9".repeat(3_000_000)]) {
    assert.ok(!isQuantity(text));
  }
  for (const text of ["0".repeat(1024), "9".repeat(1024), `1e4096`, "1e-4096"]) {
    assert.equal(parseQuantity(text).compare(quantityOf(-1)), 1);
  }
});

const formats: QuantityFormat[] = ["DecimalExponent", "BinarySI", "DecimalSI"];
const quantities = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
    fc.integer({ min: -9, max: 0 }),
    fc.constantFrom(...formats),
  )
  .map(([mantissa, scale, format]) => new Quantity(mantissa, scale, format));

test("parseQuantity() reads what toString() writes", () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      const read = parseQuantity(quantity.toString());
      assert.ok(read.equals(quantity));
      assert.equal(read.toString(), quantity.toString());
    }),
    { seed },
  );
});

test("Quantity addition is commutative, associative and has inverses", () => {
  fc.assert(
    fc.property(quantities, quantities, quantities, (a, b, c) => {
      assert.ok(a.add(b).equals(b.add(a)));
      assert.ok(
        a
          .add(b)
          .add(c)
          .equals(a.add(b.add(c))),
      );
      assert.ok(a.sub(a).isZero);
      assert.ok(a.add(b).sub(b).equals(a));
      assert.ok(a.mul(3).equals(a.add(a).add(a)));
      assert.equal(a.compare(b), -b.compare(a) + 0);
      assert.equal(a.sub(b).sign, a.compare(b));
    }),
    { seed },
  );
});

test("isQuantity() never throws", () => {
  const texts = fc.string({
    unit: fc.constantFrom(...".+-0123456789eEinumkKMGTP x"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(texts, (text) => {
      if (isQuantity(text)) parseQuantity(text).toString();
    }),
    { seed, numRuns: 2000 },
  );
});
