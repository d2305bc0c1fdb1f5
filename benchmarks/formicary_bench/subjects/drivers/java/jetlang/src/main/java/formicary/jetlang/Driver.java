package formicary.jetlang;

import formicary.lab.Cell;
import formicary.lab.Grid;
import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Times;
import formicary.lab.ToCell;
import formicary.lab.WithGrid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.jetlang.channels.Channel;
import org.jetlang.channels.MemoryChannel;
import org.jetlang.core.Callback;
import org.jetlang.fibers.Fiber;
import org.jetlang.fibers.PoolFiberFactory;

/** Drives Jetlang: a fiber and a channel for each agent, on a pool with a thread for each processor. */
public final class Driver extends WithGrid {
    private static final String VERSION = "0.2.23"; // which its jar does not say
    private static final int TRIPS = 500_000;
    private final List<Asker> askers = new ArrayList<>();
    private final PoolFiberFactory fibers =
            new PoolFiberFactory(Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()));

    public static void main(String[] arguments) {
        Lab.serve("jetlang", VERSION, Lab.MESSAGES_AND_GRID, List.of("same-container"), new Driver());
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) {
        if (job.experiment.equals(Grid.EXPERIMENT)) {
            prepareGrid(job);
            return "";
        }
        List<Channel<Question>> echoes = new ArrayList<>();
        for (int number = 0; number < job.receivers; number++) {
            echoes.add(read(question -> question.from().publish(question.body())));
        }
        for (int number = 0; number < times.size(); number++) {
            Channel<Question> partner = echoes.get(job.receiverOf(number));
            askers.add(new Asker(fiber(), partner, job.body(), times.get(number), finished));
        }
        return "";
    }

    private void prepareGrid(Job job) {
        grid = new Grid(job.dimension, job.seed);
        List<Channel<ToCell>> channels = new ArrayList<>();
        for (int place = 0; place < grid.size(); place++) {
            channels.add(read(new Cell(grid, place)::handle));
        }
        grid.connect((place, message) -> channels.get(place).publish(message));
    }

    /** Return a channel whose messages a fiber of its own reads. */
    private <T> Channel<T> read(Callback<T> reader) {
        Channel<T> channel = new MemoryChannel<>();
        channel.subscribe(fiber(), reader);
        return channel;
    }

    private Fiber fiber() {
        Fiber fiber = fibers.create();
        fiber.start();
        return fiber;
    }

    @Override
    public int trips() {
        return TRIPS;
    }

    @Override
    public void go() {
        askers.forEach(Asker::begin);
    }
}
