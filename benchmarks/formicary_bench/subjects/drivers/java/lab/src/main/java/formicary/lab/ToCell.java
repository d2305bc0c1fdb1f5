package formicary.lab;

/** What a cell of a grid is told. */
public sealed interface ToCell {
    /** A round begins, and it is one of those that ask. */
    record Start() implements ToCell {
    }

    /** Another one wants to swap numbers. */
    record Request(long number, int from) implements ToCell {
    }

    /** The other one has swapped: this is what it had. */
    record Inform(long number) implements ToCell {
    }

    /** The other one does not swap now. */
    record Refuse() implements ToCell {
    }
}
