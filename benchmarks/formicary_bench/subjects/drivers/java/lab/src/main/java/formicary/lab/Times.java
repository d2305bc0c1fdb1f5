package formicary.lab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The round trips of one pair. Only its own asking agent touches it until all are done. */
public final class Times {
    private long[] starts = {};
    private long[] rtts = {};
    private volatile int done;
    private long start;

    /** Forget all, and have room for so many. */
    void reset(int trips) {
        if (starts.length != trips) {
            starts = new long[trips];
            rtts = new long[trips];
        }
        done = 0;
    }

    /** A round trip begins. */
    public void begin() {
        start = System.nanoTime();
    }

    /** A round trip ends; returns whether another one is to be made. */
    public boolean end() {
        long now = System.nanoTime();
        int at = done;
        starts[at] = start;
        rtts[at] = Math.max(1, now - start);
        done = at + 1;
        return done < starts.length;
    }

    /** Note what has begun at a time, and how long it took, in nanoseconds; an operation or a loop of them. */
    void add(long began, long took) {
        int at = done;
        starts[at] = began;
        rtts[at] = Math.max(1, took);
        done = at + 1;
    }

    public int done() {
        return done;
    }

    /** Write the times of all pairs as the laboratory wants them. */
    public static void write(List<Times> all, String path) throws IOException {
        try (FileChannel file = FileChannel.open(
                Path.of(path), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (Times times : all) {
                put(file, times.starts);
                put(file, times.rtts);
            }
        }
    }

    private static void put(FileChannel file, long[] values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(values);
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }
}
