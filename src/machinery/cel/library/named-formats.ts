import {
  isLabelValue,
  isQualifiedName,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  type Problems,
} from "../../meta/names.ts";
import { actualSize, patternCost } from "../cost/actual-size.ts";
import type { Library } from "../environment.ts";
import { type ActualCost, type CostEstimate, costs } from "../model/call-cost.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import { scaleRange } from "../model/range.ts";
import { type CelType, listOf, objectType, optionalOf, stringType } from "../type/cel-type.ts";
import { type CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList } from "../value/cel-list.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { none, Optional } from "../value/optional.ts";
import { fixedCosts } from "./costs/text-costs.ts";
import { isBase64, isDate, isDateTime, isUuid } from "./format/text-format.ts";
import { requestUrlProblem } from "./urls.ts";

const formatType = objectType("kubernetes.NamedFormat");

/** Size of a format's pattern if the format is unknown (characters). */
const maxPatternSize = 128;

class FormatValue extends CelObject {
  override readonly type: CelType = formatType;
  readonly name: string;
  readonly validate: (text: string) => Problems;
  readonly patternSize: number;

  constructor(name: string, patternSize: number, validate: (text: string) => Problems) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.validate = validate;
  }

  override equals(other: CelValue): boolean | CelFault {
    return other instanceof FormatValue ? this.name === other.name : noSuchOverload;
  }
}

const unless = (test: (text: string) => boolean, problem: string) => (text: string) =>
  test(text) ? [] : [problem];

/** Formats by their names in expressions. */
const formats: ReadonlyMap<string, FormatValue> = new Map([
  ["dns1123Label", new FormatValue("DNS1123Label", 30, (text) => nameIsDNSLabel(text, false))],
  [
    "dns1123Subdomain",
    new FormatValue("DNS1123Subdomain", 60, (text) => nameIsDNSSubdomain(text, false)),
  ],
  ["dns1035Label", new FormatValue("DNS1035Label", 30, (text) => nameIsDNS1035Label(text, false))],
  ["qualifiedName", new FormatValue("QualifiedName", 60, isQualifiedName)],
  [
    "dns1123LabelPrefix",
    new FormatValue("DNS1123LabelPrefix", 30, (text) => nameIsDNSLabel(text, true)),
  ],
  [
    "dns1123SubdomainPrefix",
    new FormatValue("DNS1123SubdomainPrefix", 60, (text) => nameIsDNSSubdomain(text, true)),
  ],
  [
    "dns1035LabelPrefix",
    new FormatValue("DNS1035LabelPrefix", 30, (text) => nameIsDNS1035Label(text, true)),
  ],
  ["labelValue", new FormatValue("LabelValue", 40, isLabelValue)],
  ["uri", new FormatValue("URI", 1103, urlProblems)],
  ["uuid", new FormatValue("uuid", 70, unless(isUuid, "does not match the UUID format"))],
  ["byte", new FormatValue("byte", 84, unless(isBase64, "invalid base64"))],
  ["date", new FormatValue("date", 71, unless(isDate, "invalid date"))],
  ["datetime", new FormatValue("datetime", 71, unless(isDateTime, "invalid datetime"))],
]);

function urlProblems(text: string): Problems {
  const problem = requestUrlProblem(text);
  return problem === undefined ? [] : [problem];
}

const validateCost: ActualCost = ([format, text]) => {
  return format instanceof FormatValue ? patternCost(actualSize(text), format.patternSize) : 1;
};

const validateEstimate: CostEstimate = ({ args: [text], sizeOf }) => {
  if (text === undefined) return undefined;
  const perText = scaleRange(sizeOf(text), costs.perCharacter);
  return { cost: scaleRange(perText, maxPatternSize * costs.perPatternCharacter) };
};

/**
 * Named string formats.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/format.go.
 */
export const namedFormats: Library = {
  functions: [
    {
      name: "validate",
      overloads: [
        member(
          "format-validate",
          [formatType, stringType],
          optionalOf(listOf(stringType)),
          validate,
        ),
      ],
      cost: validateCost,
      estimate: validateEstimate,
    },
    {
      name: "format.named",
      overloads: [overload("format-named", [stringType], optionalOf(formatType), findFormat)],
      ...fixedCosts(1),
    },
    ...Array.from(formats, ([name, format]): FunctionDecl => {
      const id = `format.${name}`;
      return { name: id, overloads: [overload(id, [], formatType, () => format)] };
    }),
  ],
};

function validate(format?: CelValue, text?: CelValue): CelResult {
  if (!(format instanceof FormatValue) || typeof text !== "string") return noSuchOverload;
  const problems = format.validate(text);
  return problems.length === 0 ? none : new Optional(new ArrayList(problems));
}

function findFormat(name?: CelValue): CelResult {
  const format = typeof name === "string" ? formats.get(name) : undefined;
  return format === undefined ? none : new Optional(format);
}
