package formicary.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;

/** A grid of cells, and what they have done; each writes to its own place alone. */
public final class Grid {
    /** The experiment that it is for. */
    public static final String EXPERIMENT = "grid/swap";

    /** How a platform delivers a message to the cell at a place. */
    public interface Post {
        void tell(int place, ToCell message);
    }

    private static final long MILLISECONDS_BETWEEN_LOOKS = 1;
    private static final int ACTIVE_PART = 10;

    private final int size;
    private Post post;
    private final AtomicLongArray numbers;
    private final AtomicIntegerArray swaps;
    private final AtomicIntegerArray refusals;
    private final AtomicInteger most = new AtomicInteger();
    private final SplittableRandom random;
    private final LongAdder granted = new LongAdder();
    private final LongAdder informed = new LongAdder();
    private volatile boolean over;
    private volatile CountDownLatch active = new CountDownLatch(0);
    private int wanted;
    private IntConsumer step;

    /**
     * Number the cells of a square.
     *
     * @param dimension how many cells a side has
     * @param seed of the order in which cells begin
     */
    public Grid(int dimension, long seed) {
        size = dimension * dimension;
        numbers = new AtomicLongArray(size);
        swaps = new AtomicIntegerArray(size);
        refusals = new AtomicIntegerArray(size);
        random = new SplittableRandom(seed);
        for (int place = 0; place < size; place++) {
            numbers.set(place, place);
        }
    }

    /** Deliver messages as a platform does, from now on. */
    public void connect(Post platform) {
        post = platform;
    }

    public int size() {
        return size;
    }

    void tell(int place, ToCell message) {
        post.tell(place, message);
    }

    long number(int place) {
        return numbers.getPlain(place);
    }

    void setNumber(int place, long number) {
        numbers.setRelease(place, number);
    }

    boolean isOver() {
        return over;
    }

    /** A cell has swapped with one that has asked, which is told. */
    void grant() {
        granted.increment();
    }

    /** A request of a cell's was granted. */
    void swapped(int place) {
        int made = swaps.getPlain(place) + 1;
        swaps.setRelease(place, made);
        int before = most.get();
        if (made > before && made <= wanted && most.compareAndSet(before, made)) {
            step.accept(1);
        }
        if (made >= wanted) {
            over = true;
        }
        informed.increment();
    }

    /** A request of a cell's was refused. */
    void refused(int place) {
        refusals.setRelease(place, refusals.getPlain(place) + 1);
    }

    /** One that has asked does not any more, as all is over. */
    void retire() {
        active.countDown();
    }

    /** Start a tenth of the cells, and return the nanoseconds until the first has made so many swaps. */
    public long run(int until, IntConsumer progress) throws Exception {
        for (int place = 0; place < size; place++) {
            swaps.set(place, 0);
            refusals.set(place, 0);
        }
        wanted = until;
        step = progress;
        most.set(0);
        int asking = Math.max(size / ACTIVE_PART, 1);
        active = new CountDownLatch(asking);
        over = false;
        int[] order = random.ints(0, size).distinct().limit(asking).toArray();
        long began = System.nanoTime();
        for (int place : order) {
            tell(place, new ToCell.Start());
        }
        active.await();
        long took = System.nanoTime() - began;
        while (granted.sum() != informed.sum()) { // answers are still on their way
            TimeUnit.MILLISECONDS.sleep(MILLISECONDS_BETWEEN_LOOKS);
        }
        check();
        return took;
    }

    /** Return for each number of swaps how many cells have made it, and how many of their requests were refused. */
    public List<long[]> tallies() {
        TreeMap<Integer, long[]> found = new TreeMap<>();
        for (int place = 0; place < size; place++) {
            int made = swaps.get(place);
            long[] line = found.computeIfAbsent(made, key -> new long[] {key, 0, 0});
            line[1]++;
            line[2] += refusals.get(place);
        }
        return new ArrayList<>(found.values());
    }

    private void check() {
        long left = 0;
        boolean[] there = new boolean[size];
        for (int place = 0; place < size; place++) {
            there[(int) numbers.get(place)] = true;
        }
        for (boolean one : there) {
            left += one ? 0 : 1;
        }
        if (left > 0) {
            throw new IllegalStateException(left + " numbers were lost: swaps were begun and not ended");
        }
    }
}
