/** What programs switch on and off. */
export interface TerminalModes {
  /** Characters beyond the last column go to the next line. */
  readonly wraps: boolean;
  /** Characters move those behind them. */
  readonly inserts: boolean;
  /** Rows count from the first one that scrolls. */
  readonly isRelative: boolean;
  readonly showsCursor: boolean;
  /** Arrow keys send SS3 instead of CSI. */
  readonly sendsApplicationKeys: boolean;
  readonly sendsKeypad: boolean;
  /** Pasted text is between two sequences, so that programs do not take it for keys. */
  readonly marksPastes: boolean;
}

export const usualModes: TerminalModes = {
  wraps: true,
  inserts: false,
  isRelative: false,
  showsCursor: true,
  sendsApplicationKeys: false,
  sendsKeypad: false,
  marksPastes: false,
};
