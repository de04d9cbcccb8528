import { useEffect, useRef, type RefObject } from "react";

/** The focus goes into a field when it opens, and to the button that opened it when it closes. */
export function useFocusHandover(open: boolean, field: RefObject<HTMLInputElement | null>, button: RefObject<HTMLElement | null>): void {
  const was = useRef(open);
  useEffect(() => {
    if (open && !was.current) {
      field.current?.focus({ preventScroll: true });
      field.current?.select();
    } else if (!open && was.current) button.current?.focus({ preventScroll: true });
    was.current = open;
  }, [open, field, button]);
}
