package formicary.jason;

import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;

/** The rounds of a service that its client makes now, one after the other; only the client's own thread counts them. */
final class Rounds {
    static volatile Rounds now;

    private final CompletableFuture<Long> end = new CompletableFuture<>();
    private final IntConsumer step;
    private int left;

    Rounds(int size, IntConsumer step) {
        left = size;
        this.step = step;
    }

    /** Note that a round is over, and return whether there is another one to make. */
    boolean next() {
        step.accept(1);
        left--;
        if (left == 0) {
            end.complete(System.nanoTime());
        }
        return left > 0;
    }

    /** Wait until all are over, and return when that was. */
    long await() throws Exception {
        return end.get();
    }
}
