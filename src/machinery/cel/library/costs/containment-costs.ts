import { actualSize, textCost } from "../../cost/actual-size.ts";
import { type ActualCost, type CostEstimate, costs } from "../../model/call-cost.ts";
import { addRanges, exactly, type Range, scaleRange } from "../../model/range.ts";

/** Bytes of an address of either family. */
const addressSize: Range = { min: 4n, max: 16n };

/**
 * Costs of finding an address or network in a network: comparing bytes, masking them `masks` times,
 * and parsing if the signature of the given id takes a string.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/cost.go.
 */
export function containmentCosts(
  parsing: string,
  masks: 0 | 1,
): { readonly cost: ActualCost; readonly estimate: CostEstimate } {
  return {
    cost: ([cidr, other], _result, overloadId) => {
      const size = actualSize(cidr);
      const masking = masks === 0 ? 0 : textCost(size) + 1;
      const parse = overloadId === parsing ? textCost(actualSize(other)) : 0;
      return textCost(size + size) + masking + parse;
    },
    estimate: ({ overloadId, args: [other], sizeOf }) => {
      if (other === undefined) return undefined;
      const compare = scaleRange(addRanges(addressSize, addressSize), costs.perCharacter);
      const mask = addRanges(scaleRange(addressSize, costs.perCharacter), exactly(1));
      const parse = scaleRange(sizeOf(other), costs.perCharacter);
      return {
        cost: addRanges(
          compare,
          ...(masks === 0 ? [] : [mask]),
          ...(overloadId === parsing ? [parse] : []),
        ),
      };
    },
  };
}
