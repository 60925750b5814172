import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  answerExpression,
  type ExpressionAnswer,
  type ExpressionCase,
} from "#/testing/cel-replay/expression-answer.ts";

/** Recorded from cel-go and apiserver v0.37.1 by tools/record-cel. */
interface RecordedFile<Case> {
  readonly kind: string;
  readonly given?: Partial<Case>;
  readonly cases: readonly Case[];
}

type Recorded = ExpressionCase & { readonly want: ExpressionAnswer };

for (const path of globSync(join(import.meta.dirname, "recorded/*.json")).sort()) {
  const file: RecordedFile<Recorded> = JSON.parse(readFileSync(path, "utf8"));
  if (file.kind !== "expressions") continue;
  test(`expressions evaluate as upstream: ${basename(path, ".json")}`, () => {
    for (const recorded of file.cases) {
      const answer = answerExpression({ ...file.given, ...recorded });
      assert.deepEqual({ expr: recorded.expr, ...answer }, expected(recorded));
    }
  });
}

/**
 * If upstream fails to create a program, it has already estimated its cost; here the cost is not
 * estimated.
 */
function expected({ expr, want }: Recorded): ExpressionAnswer {
  const { programError } = want;
  return programError === undefined ? { expr, ...want } : { expr, programError };
}
