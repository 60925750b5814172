import { CelFault } from "../value/cel-fault.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import type { Qualifier } from "./attribute.ts";
import type { Frame, Step } from "./frame.ts";
import { findMember, getMember } from "./member.ts";

/** A step with a constant key. */
export function constantQualifier(key: CelValue, optional: boolean): Qualifier {
  return {
    optional,
    apply(frame, value) {
      const found = getMember(value, key);
      frame.charge(1);
      return found;
    },
    applyIfPresent(frame, value) {
      const found = findMember(value, key);
      if (found !== undefined && !(found instanceof CelFault)) frame.charge(1);
      return found;
    },
  };
}

/** A step with a computed key. */
export function computedQualifier(key: Step, optional: boolean): Qualifier {
  return {
    optional,
    apply(frame, value) {
      const found = withKey(frame, key, (found) => getMember(value, found));
      frame.charge(1);
      return found ?? null;
    },
    applyIfPresent(frame, value) {
      const found = withKey(frame, key, (found) => findMember(value, found));
      if (found !== undefined && !(found instanceof CelFault)) frame.charge(1);
      return found;
    },
  };
}

function withKey<T extends CelResult | undefined>(
  frame: Frame,
  key: Step,
  use: (key: CelValue) => T,
): T | CelFault {
  const found = key(frame);
  return found instanceof CelFault ? found : use(found);
}

/** The last step of has(): tests for presence instead of reading the value. */
export function presenceQualifier(key: string): Qualifier {
  return {
    optional: false,
    apply(frame, value) {
      const found = findMember(value, key, "presence");
      frame.charge(1);
      return found instanceof CelFault ? found : found !== undefined;
    },
    applyIfPresent(frame, value) {
      const found = findMember(value, key, "presence");
      if (found === undefined || found instanceof CelFault) return found;
      frame.charge(1);
      return true;
    },
  };
}
