import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** The community database with its Bolt connector: {@code Neo4jServer HOME neo4j.conf}, until SIGTERM. */
public class Neo4jServer {
    public static void main(String[] arguments) throws InterruptedException {
        var database = new DatabaseManagementServiceBuilder(Path.of(arguments[0]))
                .loadPropertiesFromFile(Path.of(arguments[1]))
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(database::shutdown));
        Thread.currentThread().join();
    }
}
