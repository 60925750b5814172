/** The part of a list that is in sight, with some rows more on both sides. */
export function visibleRows(options: {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
}): { readonly from: number; readonly to: number } {
  const { count, rowHeight, scrollTop, height } = options;
  const first = Math.floor(scrollTop / rowHeight);
  const from = Math.max(0, Math.min(first, count) - spareRows);
  const to = Math.min(count, first + Math.ceil(height / rowHeight) + spareRows);
  return { from, to: Math.max(from, to) };
}

/** Rows outside of the view that are drawn (count): a fast scroll does not show gaps. */
const spareRows = 8;

/** Where to scroll so that a row is in sight; undefined if it is. */
export function scrollToRow(
  index: number,
  { rowHeight, scrollTop, height }: { rowHeight: number; scrollTop: number; height: number },
): number | undefined {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : undefined;
}
